import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { request as httpsRequest } from 'node:https'
import { connect as connectTcp } from 'node:net'
import { text } from 'node:stream/consumers'
import test, { type TestContext } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { makeIdentity, openClient, replyTo } from './client.fixture.ts'
import type { Exchange } from './exchange.ts'
import { listen, type ListenOptions } from './listen.ts'

const server = await makeIdentity('/CN=localhost')
const client = await makeIdentity('/CN=A client/UID=com.example')

/** Answers each request with how it came. */
const echo = (exchange: Exchange): void => {
  const { method, path, query, body, connection } = exchange.request
  const { protocol, tls, clientCertificate } = connection
  const shown = (clientCertificate?.subject as { UID?: string } | undefined)?.UID ?? null
  exchange.answer({
    status: 200,
    headers: { 'x-one': '1' },
    body: JSON.stringify({ method, path, query: query.get('q'), body, protocol, tls, shown }),
  })
}

const open = async (t: TestContext, options: Partial<ListenOptions> = {}) => {
  const standard = { tls: server, http1: true, streams: 10, streamsWithCertificate: 20, serve: echo }
  const listener = await listen({ host: '127.0.0.1', port: 0, ...standard, ...options })
  t.after(() => listener.close())
  return `127.0.0.1:${listener.port}`
}

const said = (protocol: string, tls: boolean, shown: string | null = null) => ({
  method: 'POST', path: '/a', query: 'x', body: 'hello', protocol, tls, shown,
})

test('one port answers HTTP/1.1 and HTTP/2, plain and over TLS, and tells a client by its certificate', async (t) => {
  const address = await open(t)
  const plain = await fetch(`http://${address}/a?q=x`, { method: 'POST', body: 'hello' })
  t.assert.deepEqual(await plain.json(), said('h1', false))
  t.assert.equal(plain.headers.get('x-one'), '1')

  const secure = httpsRequest(`https://${address}/a?q=x`, { method: 'POST', ca: server.cert })
  secure.end('hello')
  const [response] = await once(secure, 'response')
  t.assert.deepEqual(JSON.parse(await text(response)), said('h1', true))

  for (const [url, options, expected] of [
    [`http://${address}`, {}, said('h2', false)],
    [`https://${address}`, { ca: server.cert }, said('h2', true)],
    [`https://${address}`, { ca: server.cert, ...client }, said('h2', true, 'com.example')],
  ] as const) {
    const session = await openClient(url, options)
    t.after(() => session.close())
    t.assert.deepEqual(JSON.parse((await session.post('/a?q=x', {}, 'hello')).body), expected)
    t.assert.equal(session.session.remoteSettings.maxConcurrentStreams, expected.shown ? 20 : 10)
  }
})

test('HTTP/2 over TLS needs no ALPN', async (t) => {
  const address = await open(t)
  const [host, port] = address.split(':')
  const socket = connectTls({ host, port: Number(port), ca: server.cert })
  await once(socket, 'secureConnect')
  t.assert.equal(socket.alpnProtocol, false)
  const session = connectHttp2(`https://${address}`, { createConnection: () => socket })
  t.after(() => session.destroy())
  const reply = await replyTo(session.request({ ':method': 'POST', ':path': '/a?q=x' }), 'hello')
  t.assert.deepEqual(JSON.parse(reply.body), said('h2', true))
})

test('a client may resume its TLS session, with a certificate or without', async (t) => {
  const [host, port] = (await open(t)).split(':')
  for (const identity of [{}, client]) {
    const dial = async (session?: Buffer) => {
      const options = { ca: server.cert, maxVersion: 'TLSv1.2', session, ...identity } as const
      const socket = connectTls({ host, port: Number(port), ...options })
      const given = once(socket, 'session')
      await once(socket, 'secureConnect')
      t.after(() => socket.destroy())
      return { socket, session: session ?? ((await given)[0] as Buffer) }
    }
    const { session } = await dial()
    t.assert.equal((await dial(session)).socket.isSessionReused(), true)
  }
})

test('a vendor without HTTP/1.1 closes such connections and does not offer it', async (t) => {
  const address = await open(t, { http1: false })
  await t.assert.rejects(fetch(`http://${address}/a`))
  const [host, port] = address.split(':')
  const socket = connectTls({ host, port: Number(port), ca: server.cert, ALPNProtocols: ['http/1.1'] })
  await t.assert.rejects(once(socket, 'secureConnect'), { code: /ALERT_NO_APPLICATION_PROTOCOL/ })
})

test('without a certificate TLS is not spoken', async (t) => {
  const address = await open(t, { tls: undefined })
  const [host, port] = address.split(':')
  const socket = connectTls({ host, port: Number(port) })
  await t.assert.rejects(once(socket, 'secureConnect'))
})

test('a first byte that comes alone is waited upon', async (t) => {
  const address = await open(t)
  const [host, port] = address.split(':')
  const socket = connectTcp({ host: host!, port: Number(port) })
  await once(socket, 'connect')
  socket.setNoDelay(true)
  const whole = `POST /a?q=x HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello`
  for (const letter of whole) await new Promise((resolve) => socket.write(letter, resolve))
  t.assert.match(await text(socket), /"protocol":"h1"/)
})

test('names of headers that come twice are told', async (t) => {
  const seen: (readonly string[])[] = []
  const serve = (exchange: Exchange): void => {
    seen.push(exchange.request.repeated)
    echo(exchange)
  }
  const address = await open(t, { serve })
  const session = await openClient(`http://${address}`)
  t.after(() => session.close())
  await session.post('/a', { 'x-two': ['1', '2'] as unknown as string, 'x-one': '1' }, '')
  await fetch(`http://${address}/a`)
  t.assert.deepEqual(seen, [['x-two'], []])
})
