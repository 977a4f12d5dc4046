import { readFile } from 'node:fs/promises'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import { stripTypeScriptTypes } from 'node:module'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { parseArgs } from 'node:util'

/**
 * Serves the example page on loopback, types taken out on the way, and hands everything else over to Carillon: so the
 * page and the API are one origin, and the server needs no setting for it.
 */
const { values } = parseArgs({
  options: { port: { type: 'string', default: '7710' }, server: { type: 'string', default: 'http://127.0.0.1:7700' } },
})
const server = new URL(values.server)

const types: Record<string, string> = { html: 'text/html', css: 'text/css', ts: 'text/javascript' }

/** The page's own files, by path; undefined: not ours. */
const fileOf = (path: string): URL | undefined => {
  if (path === '/') return new URL('index.html', import.meta.url)
  if (path === '/main.ts' || path === '/style.css') return new URL(`.${path}`, import.meta.url)
  const source = /^\/sdk\/([a-z-]+\.ts)$/.exec(path)?.[1]
  return source === undefined ? undefined : new URL(`../src/${source}`, import.meta.url)
}

const serveFile = async (file: URL, response: ServerResponse): Promise<void> => {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) return void response.writeHead(404).end()
  const ending = file.pathname.split('.').at(-1)!
  response.writeHead(200, { 'content-type': `${types[ending]}; charset=utf-8`, 'cache-control': 'no-store' })
  response.end(ending === 'ts' ? stripTypeScriptTypes(text) : text)
}

const handOver = ({ method, url, headers }: IncomingMessage) =>
  request({ host: server.hostname, port: server.port, method, path: url, headers: { ...headers, host: server.host } })

const callCarillon = (incoming: IncomingMessage, response: ServerResponse): void => {
  const call = handOver(incoming)
  call.on('response', (answer) => answer.pipe(response.writeHead(answer.statusCode!, answer.headers)))
  call.on('error', (error) => response.writeHead(502).end(`Carillon is not at ${server.origin}: ${error.message}`))
  incoming.pipe(call)
}

const upgrade = (incoming: IncomingMessage, socket: Duplex): void => {
  const call = handOver(incoming)
  const end = (): void => void socket.destroy()
  call.on('upgrade', ({ statusCode, rawHeaders }, carillon: Duplex) => {
    const lines = rawHeaders.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${rawHeaders[i + 1]}`] : []))
    socket.write(`HTTP/1.1 ${statusCode} Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`)
    carillon.pipe(socket).pipe(carillon)
    carillon.on('error', end).on('close', end)
    socket.on('close', () => carillon.destroy())
  })
  call.on('response', end).on('error', end)
  socket.on('error', () => call.destroy())
  call.end()
}

const page = createServer((incoming, response) => {
  const file = fileOf(incoming.url!.split('?', 1)[0]!)
  if (file === undefined) callCarillon(incoming, response)
  else void serveFile(file, response)
})
page.on('upgrade', upgrade)
page.listen(Number(values.port), '127.0.0.1', () => {
  const { port } = page.address() as AddressInfo
  console.log(`The example page is at http://127.0.0.1:${port} and speaks to Carillon at ${server.origin}`)
  console.log('(start that one with `npm start`; another one: --server http://host:port)')
})
