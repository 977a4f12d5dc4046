import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

/** Gets a request that has arrived whole, and the number of the connection it came over, from 1. */
type Handler = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, connection: number) => void

/** A server of node's own, over plain TCP. */
export const nodeHttp2 = async (t: TestContext, handle: Handler) => {
  const sessions: ServerHttp2Session[] = []
  const server = createServer({ settings: { maxConcurrentStreams: 100 }, maxSessionMemory: 100 })
  server.on('session', (session) => sessions.push(session))
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    stream.on('error', () => {})
    stream.resume()
    const connection = sessions.indexOf(stream.session as ServerHttp2Session) + 1
    stream.on('end', () => handle(stream, headers, connection))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const session of sessions) session.destroy()
    server.close()
  })
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sessions }
}
