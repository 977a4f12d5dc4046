import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Refused } from '@carillon/protocol/errors.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from './html.ts'

/** Where `npm ci` builds the page. */
export const consoleFolder = fileURLToPath(new URL('../../../console/dist', import.meta.url))

/** What the build may leave among the page's files. */
const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** The build leaves them beside each file; the best first. */
const codings = [
  { coding: 'br', ending: '.br' },
  { coding: 'gzip', ending: '.gz' },
]

const headersOfAll = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' }

/**
 * Serves the console: one page at `/` and the files it loads. The page keeps its own addresses behind #, so no path of
 * the API is ever taken for one of its own. Files are read when asked for: their names hold their hash, so a page that
 * is built anew while the server runs is served at once.
 */
export const serveConsole = (http: FastifyInstance, folder: string): void => {
  http.route({ method: ['GET', 'HEAD'], url: '/', handler: (_request, reply) => sendPage(folder, reply) })
  http.route({
    method: ['GET', 'HEAD'],
    url: '/assets/:name',
    handler: (request, reply) => sendFile(join(folder, 'assets'), request, reply),
  })
}

const sendPage = async (folder: string, reply: FastifyReply): Promise<void> => {
  const nonce = randomBytes(16).toString('base64url')
  const built = await contentOf(join(folder, 'index.html'))
  const page = built?.toString().replaceAll('{{nonce}}', nonce) ?? notBuilt
  reply.hijack()
  reply.raw.writeHead(built ? 200 : 404, {
    ...headersOfAll,
    'content-type': 'text/html; charset=utf-8',
    'content-length': Buffer.byteLength(page),
    'cache-control': 'no-cache', // it names the files of this build, and no other answer has its nonce
    'content-security-policy': policyOf(nonce),
    'cross-origin-opener-policy': 'same-origin',
  })
  reply.raw.end(page)
}

/**
 * No script but ours. The component library writes style sheets at run time: they carry the nonce. Pictures may come
 * from anywhere, because the preview shows the one a notification will carry. 'self' includes the WebSocket.
 */
const policyOf = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob: https: http:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')

const sendFile = async (folder: string, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
  const { name } = request.params as { name: string }
  const type = types[extname(name)]
  // A name of the build's own kind: no folder above, no hidden file, no compressed form as a file of its own.
  if (!type || !/^\w[\w-]*(?:\.[\w-]+)+$/.test(name)) throw new Refused('pathUnknown')
  const path = join(folder, name)
  const accepted = acceptedCodings(request.headers['accept-encoding'])
  const offered = codings.filter(({ coding }) => accepted.has(coding))
  for (const { coding, ending } of [...offered, { coding: undefined, ending: '' }]) {
    const content = await contentOf(path + ending)
    if (!content) continue
    const tag = `"${name}${ending}"`
    const known = request.headers['if-none-match'] === tag
    reply.hijack()
    reply.raw.writeHead(known ? 304 : 200, {
      ...headersOfAll,
      'content-type': type,
      ...(coding && { 'content-encoding': coding }),
      ...(!known && { 'content-length': content.length }),
      'cache-control': 'public, max-age=31536000, immutable',
      'cross-origin-resource-policy': 'same-origin',
      vary: 'accept-encoding',
      etag: tag,
    })
    reply.raw.end(known ? undefined : content)
    return
  }
  throw new Refused('pathUnknown')
}

/** Nothing if there is no such file. */
const contentOf = async (path: string): Promise<Buffer | undefined> => {
  try {
    return await readFile(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** `gzip, br;q=0` takes gzip alone. */
const acceptedCodings = (header: string | undefined): Set<string> => {
  const offers = (header ?? '').split(',').map((offer) => offer.trim().toLowerCase().split(/\s*;\s*/))
  return new Set(offers.filter(([, weight]) => !/^q=0(\.0*)?$/.test(weight ?? '')).map(([coding]) => coding!))
}

const notBuilt = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Carillon</title></head>
<body>
<h1>Carillon is running, its console is not built</h1>
<p>In the folder of Carillon: <code>npm ci</code>, or, when the packages are there, <code>npm run build -w console</code>. Then load this page again.</p>
<p>The API works without it: <a href="/docs">its reference</a>.</p>
</body>
</html>
`.text
