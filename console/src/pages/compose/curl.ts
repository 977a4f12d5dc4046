import { writeText } from './json-text.ts'

/** A word of a shell command: between single quotes nothing means anything but itself. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** The same request for a terminal. The token is one that the reader puts in: never the real one. */
export const curlOf = (origin: string, appId: string, request: unknown, placeholder: string): string =>
  [
    `curl ${quoted(`${origin}/push/notify`)}`,
    `-H ${quoted(`app_id: ${appId}`)}`,
    `-H ${quoted(`access-token: ${placeholder}`)}`,
    `-H 'content-type: application/json'`,
    `-d ${quoted(writeText(request))}`,
  ].join(' \\\n  ')
