import type { IncomingHttpHeaders } from 'node:http2'
import { suite, test } from 'node:test'
import { nodeHttp2 } from './node-http2.fixture.ts'
import { rawHttp2, type RawConnection } from './raw-http2.fixture.ts'
import { many, outcome, replyIn, startSender, until, whyOf } from './send.fixture.ts'

const TIMEOUT = { timeout: 20_000 }

suite('how many streams', TIMEOUT, () => {
  test('nothing is sent before the server has said how many streams it allows', async (t) => {
    let isSettled = false
    const { origin, connections } = await rawHttp2(t, (connection) => {
      connection.onRequest = (stream) => {
        t.assert.equal(isSettled, true)
        connection.reply(stream)
      }
      // By its first bytes the client has had the time to send a request as well.
      connection.socket.once('data', () => setImmediate(() => {
        isSettled = true
        connection.settings(10)
      }))
    })
    const { ask } = startSender(t)
    t.assert.equal(outcome(await ask(origin, '/')), 200)
    t.assert.equal(connections.length, 1)
  })

  test('a new connection carries one request alone until it was welcome, then all that wait', async (t) => {
    const { origin, connections } = await rawHttp2(t, (connection) => connection.settings(1000))
    const { ask } = startSender(t)
    const answers = many(6, () => ask(origin, '/'))
    await until(() => connections[0]?.requests.length === 1)
    const [connection] = connections as [RawConnection]
    connection.reply(1, 403)
    await until(() => connection.requests.length > 1)
    await connection.caughtUp()
    t.assert.deepEqual(connection.requests, [1, 3])
    connection.onRequest = (stream) => connection.reply(stream)
    connection.reply(3)
    t.assert.deepEqual((await Promise.all(answers)).map(outcome), [403, 200, 200, 200, 200, 200])
    t.assert.equal(connections.length, 1)
  })

  test('the limit is followed as it changes, from 1 to 1000 and back to 1', async (t) => {
    // Only the first connection ever says hello, so that all requests have to wait for it.
    const { origin, connections } = await rawHttp2(t, (connection, count) => count === 1 && connection.settings(1))
    const { ask } = startSender(t)
    let limit = 1
    let replied = 0
    const isOver: number[] = []
    const answers = many(8, () => ask(origin, '/'))
    await until(() => connections.length > 0)
    const [connection] = connections as [RawConnection]
    const open = (): number => connection.requests.length - replied
    const reply = (): void => connection.reply(connection.requests[replied++]!)
    connection.onRequest = () => void (open() > limit && isOver.push(open()))

    for (const count of [1, 2, 3]) {
      await until(() => connection.requests.length === count)
      reply()
    }
    limit = 1000
    connection.settings(1000)
    await until(() => connection.requests.length === 8)
    t.assert.equal(open(), 5)

    connection.settings(1)
    answers.push(...many(4, () => ask(origin, '/')))
    limit = 1
    while (replied < 12) {
      await until(() => open() > 0)
      reply()
    }
    t.assert.deepEqual(new Set((await Promise.all(answers)).map(outcome)), new Set([200]))
    t.assert.deepEqual(isOver, [])
  })

  test('what an answer holds back does not take the stream that it freed', async (t) => {
    const { origin, connections } = await rawHttp2(t, (connection) => connection.settings(1))
    const { sender } = startSender(t)
    let isOpen = true
    const request = { origin, method: 'POST', path: '/', headers: {}, body: '' } as const
    const ask = () => sender.exchange(request, { protocol: 'h2', key: 'lane', timeoutMs: 10_000 }, () => isOpen)
    const first = ask().then((exchanged) => {
      isOpen = false
      return outcome(exchanged)
    })
    const second = ask()
    await until(() => connections[0]?.requests.length === 1)
    connections[0]!.reply(1, 403)
    t.assert.equal(await first, 403)
    t.assert.deepEqual(await second, { kind: 'unsent', why: 'it was held back' })
    t.assert.equal(connections[0]!.requests.length, 1)
  })

  test('another connection is opened only when all streams are in use, and never more than four', async (t) => {
    const { origin, connections } = await rawHttp2(t, (connection) => connection.settings(2))
    const { ask } = startSender(t)
    const under = (): number => connections.reduce((sum, { requests }) => sum + requests.length, 0)
    const answers = [ask(origin, '/')]
    await until(() => under() === 1)
    connections[0]!.reply(1)
    await answers[0]
    answers.push(ask(origin, '/'), ask(origin, '/'))
    await until(() => under() === 3)
    t.assert.equal(connections.length, 1)

    answers.push(...many(20, () => ask(origin, '/')))
    // Each new one is warmed first; when all four are at their limit, 8 are under way.
    for (const count of [2, 3, 4]) {
      await until(() => connections[count - 1]?.requests.length === 1)
      connections[count - 1]!.reply(1)
      await until(() => connections[count - 1]!.requests.length === 3)
    }
    t.assert.equal(under(), 3 + 9)
    for (const connection of connections) {
      connection.onRequest = (stream) => connection.reply(stream)
      for (const stream of [3, 5]) connection.reply(stream)
    }
    t.assert.deepEqual(new Set((await Promise.all(answers)).map(outcome)), new Set([200]))
    t.assert.equal(connections.length, 4)
  })

  test('a request that finds no free stream in its time was not sent', async (t) => {
    const { origin, connections } = await rawHttp2(t, (connection) => connection.settings(1))
    const { ask, clock } = startSender(t)
    const first = ask(origin, '/', { timeoutMs: 60_000 })
    await until(() => connections[0]?.requests.length === 1)
    const second = ask(origin, '/', { timeoutMs: 1_000 })
    clock.at += 1_000
    t.assert.equal((await second).kind, 'unsent')
    connections[0]!.reply(1)
    t.assert.equal(outcome(await first), 200)
    t.assert.deepEqual(connections[0]!.requests, [1])
  })
})

suite('streams that are refused', TIMEOUT, () => {
  test('a refused stream is repeated, one that is always refused was not sent', async (t) => {
    const { origin, connections } = await rawHttp2(t, (connection) => {
      connection.onRequest = (stream) => stream === 3 ? connection.reply(stream) : connection.reset(stream, 7)
      connection.settings(100)
    })
    const { ask } = startSender(t)
    t.assert.equal(outcome(await ask(origin, '/')), 200)
    t.assert.deepEqual(connections[0]!.requests, [1, 3])
    const refused = await ask(origin, '/')
    t.assert.deepEqual(refused, { kind: 'unsent', why: 'the server refused the stream' })
    t.assert.equal(connections[0]!.requests.length < 12, true)
  })

  test('a limit that was lowered before we heard of it costs nothing', async (t) => {
    let isLowered = false
    const { origin, connections } = await rawHttp2(t, (connection, count) => {
      // Refuses all but one at a time without ever saying that only one is allowed.
      let open = 0
      connection.onRequest = (stream) => {
        if (stream === 1) return connection.reply(stream)
        isLowered = true
        if (open > 0) return connection.reset(stream, 7)
        open += 1
        setImmediate(() => {
          open -= 1
          connection.reply(stream)
        })
      }
      if (count === 1) connection.settings(1000)
    })
    const { ask } = startSender(t)
    await ask(origin, '/')
    const answers = await Promise.all(many(20, () => ask(origin, '/')))
    t.assert.equal(isLowered, true)
    t.assert.deepEqual(new Set(answers.map(outcome)), new Set([200]))
    t.assert.equal(connections.length <= 2, true)
  })

  test('a stream that is reset for another reason is lost', async (t) => {
    const { origin } = await rawHttp2(t, (connection) => {
      connection.onRequest = (stream) => connection.reset(stream, stream === 1 ? 2 : 8)
      connection.settings(100)
    })
    const { ask } = startSender(t)
    t.assert.deepEqual(await ask(origin, '/'), { kind: 'lost', why: 'the stream was reset (INTERNAL_ERROR)' })
    t.assert.deepEqual(await ask(origin, '/'), { kind: 'lost', why: 'the stream was reset (CANCEL)' })
  })
})

suite('replies', TIMEOUT, () => {
  test('421 is repeated once over another connection, and then it is the answer', async (t) => {
    const seen: [path: string, connection: number][] = []
    const { origin } = await nodeHttp2(t, (stream, headers, connection) => {
      seen.push([headers[':path'] as string, connection])
      stream.respond({ ':status': headers[':path'] === '/never' || connection === 1 ? 421 : 200 }, { endStream: true })
    })
    const { ask } = startSender(t)
    t.assert.equal(outcome(await ask(origin, '/once')), 200)
    t.assert.deepEqual(seen, [['/once', 1], ['/once', 2]])
    t.assert.equal(outcome(await ask(origin, '/never')), 421)
    t.assert.deepEqual(seen.slice(2), [['/never', 2], ['/never', 3]])
  })

  test('a reply comes whole, with its headers, and a redirect is only a reply', async (t) => {
    const asked: IncomingHttpHeaders[] = []
    const { origin } = await nodeHttp2(t, (stream, headers) => {
      asked.push(headers)
      stream.respond({ ':status': 307, location: '/elsewhere', 'Retry-After': '7', 'set-cookie': ['a=1', 'b=2'] })
      stream.write('{"to":')
      stream.end('"ännä"}')
    })
    const { ask } = startSender(t)
    const exchanged = await ask(origin, '/here?a=1', {}, { headers: { authorization: 'bearer x' }, body: '"ä"' })
    const { status, headers, body } = replyIn(exchanged)
    t.assert.deepEqual([status, body], [307, '{"to":"ännä"}'])
    t.assert.deepEqual([headers['location'], headers['set-cookie']], ['/elsewhere', 'a=1, b=2'])
    t.assert.equal('retryAfterMs' in exchanged && exchanged.retryAfterMs, 7_000)
    t.assert.equal(asked.length, 1)
    const [first] = asked as [IncomingHttpHeaders]
    t.assert.deepEqual([first[':method'], first[':path']], ['POST', '/here?a=1'])
    t.assert.equal(first[':authority'], new URL(origin).host)
    const { authorization, 'content-length': length, 'accept-encoding': encoding } = first
    t.assert.deepEqual([authorization, length, encoding], ['bearer x', '4', 'identity'])
    t.assert.equal(outcome(await ask(origin, '/', {}, { method: 'GET', body: '' })), 307)
    t.assert.deepEqual([asked[1]![':method'], asked[1]!['content-length']], ['GET', undefined])
  })

  test('a reply over 64 KiB is lost, one of 64 KiB is not, and the connection lives on', async (t) => {
    const { origin, sessions } = await nodeHttp2(t, (stream, headers) => {
      stream.respond({ ':status': 200 })
      stream.end('x'.repeat(Number(headers[':path']!.slice(1))))
    })
    const { ask } = startSender(t)
    t.assert.deepEqual(await ask(origin, '/65537'), { kind: 'lost', why: 'the reply is larger than 64 KiB' })
    t.assert.equal(replyIn(await ask(origin, '/65536')).body.length, 65_536)
    t.assert.equal(sessions.length, 1)
  })

  test('a reply that cannot be read is lost', async (t) => {
    const { origin } = await nodeHttp2(t, (stream, headers) => {
      stream.respond({ ':status': 200, ...(headers[':path'] === '/gzip' && { 'content-encoding': 'gzip' }) })
      stream.end(Buffer.from([0x22, 0xff, 0x22]))
    })
    const { ask } = startSender(t)
    t.assert.deepEqual(await ask(origin, '/latin'), { kind: 'lost', why: 'the reply (status 200) is not UTF-8' })
    t.assert.match(whyOf(await ask(origin, '/gzip')), /encoded as gzip/)
  })

  test('a reply that is shorter than it says is lost, however politely it ends', async (t) => {
    const { origin, connections } = await rawHttp2(t, (connection) => {
      connection.onRequest = (stream) => {
        connection.begin(stream, stream === 1 ? 9 : 4)
        connection.data(stream, '{"a"')
        connection.reset(stream, 0)
      }
      connection.settings(100)
    })
    const { ask } = startSender(t)
    t.assert.equal((await ask(origin, '/')).kind, 'lost')
    t.assert.equal(replyIn(await ask(origin, '/')).body, '{"a"')
    t.assert.equal(connections.length, 1)
  })

  test('a request that node itself refuses was not sent, and hurts no other', async (t) => {
    const { origin } = await nodeHttp2(t, (stream) => stream.respond({ ':status': 200 }, { endStream: true }))
    const { ask } = startSender(t)
    t.assert.equal((await ask(origin, '/', {}, { headers: { connection: 'keep-alive' } })).kind, 'unsent')
    t.assert.equal(outcome(await ask(origin, '/')), 200)
  })
})
