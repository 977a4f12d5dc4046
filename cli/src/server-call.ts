import { type Config, readConfig } from '@carillon/server/config.ts'
import { Failed, type Typed, UsageError, settingFlags } from './command.ts'

const TIMEOUT_MS = 10_000

/** Options of commands that speak to the running server. */
export const serverOptions = {
  url: { type: 'string' },
  host: { type: 'string' },
  port: { type: 'string' },
} as const

/** No server answered there. */
export class Unreachable extends Failed {}

/** Where the server is: --url, or the address of the settings. */
export const serverUrl = (call: Pick<Typed, 'options'>): string => {
  const { url } = call.options
  if (url === undefined) return urlOf(readConfig(settingFlags(call), process.env))
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new UsageError('--url must be an http or https address, such as http://127.0.0.1:7700')
  }
  return url.replace(/\/+$/, '')
}

/** The address of the settings, as one reaches it from this machine. */
export const urlOf = ({ host, port, tlsCert }: Pick<Config, 'host' | 'port' | 'tlsCert'>): string => {
  if (port === 0) throw new UsageError('the settings let the server take any free port: say where it is with --url')
  const reached = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host
  return `${tlsCert === '' ? 'http' : 'https'}://${reached.includes(':') ? `[${reached}]` : reached}:${port}`
}

interface Envelope {
  code?: number
  data?: unknown
  message?: string | null
}

interface Asked {
  headers?: Record<string, string>
  /** JSON. */
  body?: string
}

/** The `data` of one call; a refusal fails with what the server said. */
export const callServer = async (url: string, path: string, { headers, body }: Asked = {}): Promise<unknown> => {
  const response = await fetch(url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: Error) => {
    const why = error.cause instanceof Error ? error.cause.message : error.message
    throw new Unreachable(`no server answers at ${url}: ${why}`)
  })
  const envelope = (await response.json().catch(() => null)) as Envelope | null
  if (envelope?.code === 200) return envelope.data
  if (envelope?.code === undefined) {
    throw new Failed(`what answers at ${url} is not Carillon (status ${response.status})`)
  }
  throw new Failed(`the server answered ${envelope.code}: ${envelope.message ?? ''}`)
}
