import { once } from 'node:events'
import { request } from 'node:http'
import type { Socket } from 'node:net'
import test, { type TestContext } from 'node:test'
import { Type } from '@carillon/protocol/type.ts'
import { Int, FreeText } from '@carillon/protocol/types.ts'
import { BODY_LIMIT, DROP_LIMIT } from './body.ts'
import { envelopeOf, gather, openDoor } from './open-door.ts'
import { route } from './route.ts'
import { drainHttp } from './server.ts'

const sizeOf = route({
  method: 'POST',
  path: '/size',
  who: 'any',
  noun: 'operations',
  summary: 'How long a text is.',
  answer: Type.Unknown(),
  body: Type.Object({ text: FreeText() }),
  handle: async ({ body }) => ({ length: body.text.length }),
})

const bodyOf = (bytes: number): string => `{"text":"${'x'.repeat(bytes - 11)}"}`

const head = (...headers: string[]): string =>
  ['POST /size HTTP/1.1', 'app_id: demo', 'content-type: application/json', ...headers, '', ''].join('\r\n')
const known = 'access-token: admin'

const chunk = (bytes: number): string => `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`

/** Resolves with what has arrived once it holds `end`. */
const until = async (socket: Socket, end: string): Promise<string> => {
  let text = ''
  while (!text.includes(end)) text += String((await once(socket, 'data'))[0])
  return text
}

test('a body of exactly 1 MiB is taken, one byte more is refused and the answer arrives', async (t) => {
  const { call } = await openDoor(t, [sizeOf])
  const taken = await call('POST', '/size', bodyOf(BODY_LIMIT), { 'access-token': 'admin' })
  t.assert.deepEqual(taken.body, { code: 200, data: { length: BODY_LIMIT - 11 }, message: null })
  const refused = await call('POST', '/size', bodyOf(BODY_LIMIT + 1), { 'access-token': 'admin' })
  t.assert.deepEqual([refused.status, refused.body.code], [413, 41300])
})

test('a client that writes a large body before it reads gets its answer, then the connection closes', async (t) => {
  const { dial } = await openDoor(t, [sizeOf])
  const length = 3 * BODY_LIMIT
  for (const [who, code] of [[known, 41300], ['x-none: 1', 10003]] as const) {
    for (const chunked of [true, false]) {
      const socket = await dial()
      socket.pause()
      socket.write(head(who, chunked ? 'transfer-encoding: chunked' : `content-length: ${length}`))
      socket.write(chunked ? `${chunk(length)}0\r\n\r\n` : 'x'.repeat(length))
      if (socket.writableLength > 0) await once(socket, 'drain')
      const answer = await gather(socket)
      t.assert.equal(envelopeOf(answer).code, code)
      t.assert.match(answer, /connection: close/i)
    }
  }
})

test('a body without an end is cut off', async (t: TestContext) => {
  const { dial } = await openDoor(t, [sizeOf])
  const socket = await dial()
  const answer = gather(socket)
  socket.write(head(known, 'transfer-encoding: chunked'))
  let written = 0
  const more = () => {
    while (!socket.destroyed && socket.write(chunk(65_536))) written += 65_536
  }
  socket.on('drain', more)
  more()
  t.assert.equal(envelopeOf(await answer).code, 41300)
  t.assert.ok(written < 8 * DROP_LIMIT, `${written} bytes were taken`)
})

test('after a refusal with a short body unread, the connection serves the next call', async (t) => {
  const { dial } = await openDoor(t, [sizeOf])
  const socket = await dial()
  socket.write(`${head('content-length: 20')}${bodyOf(20)}`)
  t.assert.match(await until(socket, '}'), /"code":10003/)
  socket.write(`${head(known, 'content-length: 20')}${bodyOf(20)}`)
  t.assert.match(await until(socket, '}'), /"code":200/)
  socket.destroy()
})

test("what Node's parser refuses is answered in an envelope", async (t) => {
  const { talk } = await openDoor(t, [sizeOf])
  for (const [status, ...parts] of [
    [400, 'what is this\r\n\r\n'],
    [400, 'GET /size HTTP/9.9\r\n\r\n'],
    [400, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    [400, 'GET /size HTTP/1.1\r\nbad header\r\n\r\n'],
    [400, head(known, 'content-length: 5', 'content-length: 6'), 'xxxxxx'],
    [400, head(known, 'content-length: 5', 'transfer-encoding: chunked'), '0\r\n\r\n'],
    [400, head(known, 'transfer-encoding: chunked'), 'zz\r\n'],
    [431, `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n\r\n`],
    [431, head(`x-long: ${'x'.repeat(20_000)}`)],
    [431, head(`x-long: ${'x'.repeat(2_000_000)}`)],
  ] as const) {
    const answer = await talk(...parts)
    t.assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `), parts[0].slice(0, 40))
    t.assert.equal(envelopeOf(answer).code, 10002)
    t.assert.match(answer, /content-type: application\/json/)
  }
})

test('a body that breaks off is answered, and harms nobody', async (t) => {
  const { dial, call, lines } = await openDoor(t, [sizeOf])
  const half = await dial()
  const answer = gather(half)
  half.end(`${head(known, 'content-length: 50')}{"te`)
  t.assert.equal(envelopeOf(await answer).code, 10002)
  const gone = await dial()
  gone.write(`${head(known, 'content-length: 50')}{"te`, () => gone.resetAndDestroy())
  await once(gone, 'close')
  t.assert.equal((await call('POST', '/size', { text: 'x' }, { 'access-token': 'admin' })).body.code, 200)
  t.assert.deepEqual(lines, [])
})

test('a request that does not arrive in time is refused', async (t) => {
  const { talk } = await openDoor(t, [sizeOf], { timeouts: { requestMs: 50, headersMs: 50, checkMs: 20 } })
  for (const start of ['POST /size HTTP/1.1\r\n', `${head(known, 'content-length: 50')}{"te`]) {
    const answer = await talk(start)
    t.assert.match(answer, /^HTTP\/1.1 408 /)
    t.assert.equal(envelopeOf(answer).code, 10002)
  }
})

test('slow senders together hold no more than the door allows', async (t) => {
  const { dial, call } = await openDoor(t, [sizeOf], { gatheringLimit: 100 })
  const slow = await dial()
  slow.write(head(known, 'content-length: 200', 'expect: 100-continue'))
  await until(slow, '100 Continue')
  slow.write('x'.repeat(80))
  const fast = async () => (await call('POST', '/size', bodyOf(40), { 'access-token': 'admin' })).body.code
  // Both connections are read in the order of arrival, but through the kernel: ask until the first bytes have come.
  while ((await fast()) !== 42900);
  slow.destroy()
  while ((await fast()) !== 200);
})

test('a client that waits for 100-continue is served, one that expects something else is told', async (t) => {
  const { url, talk } = await openDoor(t, [sizeOf])
  const client = request(`${url}/size`, {
    method: 'POST',
    headers: { app_id: 'demo', 'access-token': 'admin', 'content-type': 'application/json', expect: '100-continue' },
  })
  client.on('continue', () => client.end('{"text":"late"}'))
  client.flushHeaders()
  const [response] = await once(client, 'response')
  t.assert.equal(response.statusCode, 200)
  response.resume()
  t.assert.equal(envelopeOf(await talk(head(known, 'expect: a miracle', 'connection: close'))).code, 10002)
})

test('a client that offers HTTP/2 beside its call gets its call answered', async (t) => {
  const { http, talk } = await openDoor(t, [sizeOf])
  http.server.on('upgrade', (_request, socket) => socket.destroy())
  const offer = ['connection: upgrade, http2-settings, close', 'upgrade: h2c', 'http2-settings: AAMAAABkAAQAAP__']
  t.assert.equal(envelopeOf(await talk(`${head(known, ...offer, 'content-length: 20')}${bodyOf(20)}`)).code, 200)
})

test('closing lets a call in flight finish, closes idle connections at once and takes no new ones', async (t) => {
  const started = Promise.withResolvers<void>()
  const finish = Promise.withResolvers<void>()
  const slow = route({
    method: 'GET',
    path: '/slow',
    who: 'nobody',
    noun: 'operations',
    summary: 'Waits.',
    answer: Type.Unknown(),
    handle: async () => {
      started.resolve()
      await finish.promise
      return { n: 1 }
    },
  })
  const { dial, close, port } = await openDoor(t, [slow, sizeOf])
  const idle = await dial()
  idle.write(`${head(known, 'content-length: 20')}${bodyOf(20)}`)
  await until(idle, '}')
  const busy = await dial()
  const answer = gather(busy)
  busy.write('GET /slow HTTP/1.1\r\n\r\n')
  await started.promise
  const closed = close()
  await once(idle.resume(), 'close')
  await t.assert.rejects(fetch(`http://127.0.0.1:${port}/slow`))
  finish.resolve()
  t.assert.equal(envelopeOf(await answer).code, 200)
  await closed
})

test('draining takes nobody new in; a connection that is there is served once more, and closed by that answer', async (t) => {
  const { http, dial, port } = await openDoor(t, [sizeOf])
  const call = `${head(known, 'content-length: 20')}${bodyOf(20)}`
  const kept = await dial()
  kept.write(call)
  await until(kept, '}')
  const drained = drainHttp(http, 60_000)
  while (http.server.listening) await new Promise(setImmediate)
  await t.assert.rejects(fetch(`http://127.0.0.1:${port}/size`))
  const answer = gather(kept)
  kept.write(call)
  t.assert.match(await answer, /^HTTP\/1\.1 200 OK\r\n[^]*connection: close\r\n/i)
  await drained
})

test('integers beyond 2^53 in an answer are written as they are', async (t) => {
  const big = route({
    method: 'GET',
    path: '/big',
    who: 'nobody',
    noun: 'operations',
    summary: 'A large number.',
    answer: Type.Unknown(),
    query: Type.Object({ n: Type.Optional(Int(0, 9)) }),
    handle: async () => ({ n: JSON.rawJSON('9007199254740993') }),
  })
  const { url } = await openDoor(t, [big])
  t.assert.equal(await (await fetch(`${url}/big`)).text(), '{"code":200,"data":{"n":9007199254740993},"message":null}')
})
