import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcp, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { suite, test, type TestContext } from 'node:test'
import { many, outcome, replyIn, startSender, until, whyOf } from './send.fixture.ts'

const TIMEOUT = { timeout: 20_000 }

/** Gets a request, its body, and the number of the connection it came over, from 1. */
type Handler = (request: IncomingMessage, response: ServerResponse, body: string, connection: number) => void

const startHttp1 = async (t: TestContext, handle: Handler) => {
  const sockets: Socket[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => handle(request, response, body, sockets.indexOf(request.socket) + 1))
  })
  server.keepAliveTimeout = 60_000
  server.on('connection', (socket) => sockets.push(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets }
}

const start = (t: TestContext) => {
  const { ask, ...rest } = startSender(t)
  const over1: typeof ask = (origin, path, sending, request) =>
    ask(origin, path, { protocol: 'h1', ...sending }, request)
  return { ask: over1, ...rest }
}

suite('HTTP/1.1', TIMEOUT, () => {
  test('a reply comes whole, a redirect is only a reply, and the connection is used again', async (t) => {
    const asked: { line: string; headers: IncomingMessage['headers']; body: string }[] = []
    const { origin, sockets } = await startHttp1(t, ({ method, url, headers }, response, body) => {
      asked.push({ line: `${method} ${url}`, headers, body })
      response.writeHead(302, { location: '/elsewhere', 'Retry-After': '3' }).end('{"to":"ännä"}')
    })
    const { ask } = start(t)
    const exchanged = await ask(origin, '/here?a=1', {}, { body: '"ä"' })
    const { status, headers, body } = replyIn(exchanged)
    t.assert.deepEqual([status, headers['location'], body], [302, '/elsewhere', '{"to":"ännä"}'])
    t.assert.equal('retryAfterMs' in exchanged && exchanged.retryAfterMs, 3_000)
    t.assert.equal(outcome(await ask(origin, '/', {}, { method: 'GET', body: '' })), 302)
    t.assert.deepEqual(asked.map(({ line }) => line), ['POST /here?a=1', 'GET /'])
    const [first, second] = asked.map((one) => one.headers)
    t.assert.deepEqual([asked[0]!.body, first!['content-length'], first!['accept-encoding']], ['"ä"', '4', 'identity'])
    t.assert.deepEqual([first!.host, second!['content-length']], [new URL(origin).host, undefined])
    t.assert.equal(sockets.length, 1)
  })

  test('an answer that is here before its time is looked at counts, however late this process comes to that', async (t) => {
    const { ask, clock } = start(t)
    const server = createTcp((socket) =>
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
        clock.at += 60_000
        const heldUntil = performance.now() + 20 // the next look is overdue when this process goes on
        while (performance.now() < heldUntil);
      }))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => server.close())
    t.assert.equal(outcome(await ask(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, '/')), 200)
  })

  test('two keys never share a connection', async (t) => {
    const overs: number[] = []
    const { origin } = await startHttp1(t, (_request, response, _body, connection) => {
      overs.push(connection)
      response.end()
    })
    const { ask } = start(t)
    for (const key of ['a', 'b', 'a', 'b']) await ask(origin, '/', { key })
    t.assert.deepEqual(overs, [1, 2, 1, 2])
  })

  test('connections are bounded, and what waits for one is not lost', async (t) => {
    const { origin, sockets } = await startHttp1(t, (_request, response) => response.end())
    const { ask } = start(t)
    const answers = await Promise.all(many(300, () => ask(origin, '/')))
    t.assert.deepEqual(new Set(answers.map(outcome)), new Set([200]))
    t.assert.equal(sockets.length <= 64, true)
  })

  test('a kept connection that ends with the next request on it loses that request', async (t) => {
    const { origin, sockets } = await startHttp1(t, ({ url, socket }, response) => {
      if (url === '/') response.end()
      else socket.resetAndDestroy()
    })
    const { ask } = start(t)
    t.assert.equal(outcome(await ask(origin, '/')), 200)
    const exchanged = await ask(origin, '/reset')
    t.assert.equal(exchanged.kind, 'lost')
    t.assert.equal(sockets.length, 1)
    t.assert.equal(outcome(await ask(origin, '/')), 200)
  })

  test('an idle connection is dropped before common servers drop it', async (t) => {
    const { origin, sockets } = await startHttp1(t, (_request, response) => response.end())
    const { ask } = start(t)
    await ask(origin, '/')
    await once(sockets[0]!, 'close')
  })

  test('no answer in time is lost, and its connection is not used again', async (t) => {
    const { origin, sockets } = await startHttp1(t, ({ url }, response) => void (url === '/' && response.end()))
    const { ask, clock } = start(t)
    await ask(origin, '/')
    const slow = ask(origin, '/slow', { timeoutMs: 5_000 })
    await until(() => sockets[0]!.bytesRead > 300)
    clock.at += 5_000
    t.assert.deepEqual(await slow, { kind: 'lost', why: 'no answer within 5 s' })
    t.assert.equal(outcome(await ask(origin, '/')), 200)
    t.assert.equal(sockets.length, 2)
  })

  test('a refused connection and a handshake that never ends send nothing', async (t) => {
    const { ask, clock } = start(t)
    const silent = createTcp()
    silent.listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const [sockets, connected]: [Socket[], Promise<unknown>] = [[], once(silent, 'connection')]
    silent.on('connection', (socket) => sockets.push(socket))
    const handshake = ask(`https://127.0.0.1:${port}`, '/', { timeoutMs: 60_000 })
    await connected
    clock.at += 10_000
    t.assert.deepEqual(await handshake, { kind: 'unsent', why: 'no connection within 10 s' })
    for (const socket of sockets) socket.destroy()
    silent.close()
    await once(silent, 'close')
    const refused = await ask(`http://127.0.0.1:${port}`, '/')
    t.assert.equal(refused.kind, 'unsent')
    t.assert.match(whyOf(refused), /ECONNREFUSED/)
  })

  test('a reply over 64 KiB, one that is cut off, and one that cannot be read are lost', async (t) => {
    const { origin } = await startHttp1(t, ({ url, socket }, response) => {
      if (url === '/fits') return response.end('x'.repeat(65_536))
      if (url === '/large') return response.end('x'.repeat(65_537))
      if (url === '/gzip') return response.writeHead(200, { 'content-encoding': 'gzip' }).end('x')
      if (url === '/latin') return response.end(Buffer.from([0xff]))
      response.write('{"half":')
      return setImmediate(() => socket.end())
    })
    const { ask } = start(t)
    t.assert.equal(replyIn(await ask(origin, '/fits')).body.length, 65_536)
    t.assert.deepEqual(await ask(origin, '/large'), { kind: 'lost', why: 'the reply is larger than 64 KiB' })
    for (const path of ['/half', '/gzip', '/latin']) t.assert.equal((await ask(origin, path)).kind, 'lost', path)
  })

  test('a request that node itself refuses was not sent', async (t) => {
    const { origin, sockets } = await startHttp1(t, (_request, response) => response.end())
    const { ask } = start(t)
    t.assert.equal((await ask(origin, '/', {}, { headers: { bad: 'two\nlines' } })).kind, 'unsent')
    t.assert.equal(outcome(await ask(origin, '/')), 200)
    t.assert.equal(sockets.length, 1)
  })

  test('retired connections end what they have and are not used again', async (t) => {
    const held: ServerResponse[] = []
    const { origin, sockets } = await startHttp1(t, ({ url }, response) => {
      if (url === '/') response.end()
      else held.push(response)
    })
    const { ask, sender } = start(t)
    const old = ask(origin, '/held')
    await until(() => held.length === 1)
    sender.retire('lane')
    t.assert.equal(outcome(await ask(origin, '/')), 200)
    held[0]!.end()
    t.assert.equal(outcome(await old), 200)
    await until(() => sockets[0]!.destroyed)
    t.assert.equal(outcome(await ask(origin, '/')), 200)
    t.assert.deepEqual([sockets.length, sockets[1]!.destroyed], [2, false])
  })

  test('closing waits for what is under way', async (t) => {
    const held: ServerResponse[] = []
    const { origin, sockets } = await startHttp1(t, (_request, response) => void held.push(response))
    const { ask, sender } = start(t)
    const answer = ask(origin, '/')
    await until(() => held.length === 1)
    const closed = sender.close()
    t.assert.equal((await ask(origin, '/')).kind, 'unsent')
    held[0]!.end()
    await closed
    t.assert.equal(outcome(await answer), 200)
    await until(() => sockets[0]!.destroyed)
  })
})
