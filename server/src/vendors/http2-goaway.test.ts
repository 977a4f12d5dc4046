import { suite, test, type TestContext } from 'node:test'
import { nodeHttp2 } from './node-http2.fixture.ts'
import { rawHttp2, welcome } from './raw-http2.fixture.ts'
import { many, outcome, startSender, until, whyOf } from './send.fixture.ts'

const TIMEOUT = { timeout: 20_000 }

suite('GOAWAY', TIMEOUT, () => {
  /** The first connection has answered one request and carries four, on streams 3 to 9. Later ones answer at once. */
  const fourUnderWay = async (t: TestContext) => {
    const raw = await rawHttp2(t, (connection, count) => {
      if (count === 1) connection.settings(100)
      else welcome(connection, 100)
    })
    const started = startSender(t)
    const first = started.ask(raw.origin, '/')
    await until(() => raw.connections[0]?.requests.length === 1)
    raw.connections[0]!.reply(1)
    await first
    const answers = many(4, () => started.ask(raw.origin, '/'))
    await until(() => raw.connections[0]!.requests.length === 5)
    return { ...raw, ...started, answers, connection: raw.connections[0]! }
  }

  test('streams above the last one are repeated elsewhere, those below end where they are', async (t) => {
    const { answers, connection, connections } = await fourUnderWay(t)
    connection.goaway(5)
    await Promise.all(answers.slice(2))
    t.assert.deepEqual(connections[1]!.requests, [1, 3])
    connection.reply(3)
    connection.reply(5)
    t.assert.deepEqual((await Promise.all(answers)).map(outcome), [200, 200, 200, 200])
    t.assert.equal(connections.length, 2)
    await until(() => connection.socket.destroyed)
  })

  test('no new stream begins after it, although lower ones are still under way', async (t) => {
    const { ask, origin, answers, connection } = await fourUnderWay(t)
    connection.goaway(9)
    await connection.caughtUp()
    t.assert.equal(outcome(await ask(origin, '/')), 200)
    for (const stream of [3, 5, 7, 9]) connection.reply(stream)
    t.assert.deepEqual((await Promise.all(answers)).map(outcome), [200, 200, 200, 200])
  })

  test('one after another is understood: the lower number counts', async (t) => {
    const { answers, connection, connections } = await fourUnderWay(t)
    connection.goaway(2 ** 31 - 1)
    connection.goaway(3)
    await Promise.all(answers.slice(1))
    connection.reply(3)
    t.assert.deepEqual((await Promise.all(answers)).map(outcome), [200, 200, 200, 200])
    t.assert.equal(connections[1]!.requests.length, 3)
  })

  test('one with an error after a polite one is understood as well', async (t) => {
    const { answers, connection } = await fourUnderWay(t)
    connection.goaway(2 ** 31 - 1)
    connection.goaway(3, 2)
    t.assert.deepEqual((await Promise.all(answers)).map(outcome), ['lost', 200, 200, 200])
  })

  test('a request that it met on the way out was never sent, whatever number it names', async (t) => {
    const { ask, origin, answers, connection, connections } = await fourUnderWay(t)
    // Written and asked in one turn of the loop: node reads before it sends what was asked for.
    const late = await new Promise<ReturnType<typeof ask>[]>((resolve) =>
      setTimeout(() => {
        connection.goaway(2 ** 31 - 1)
        resolve([ask(origin, '/late')])
      }))
    t.assert.equal(outcome(await late[0]!), 200)
    t.assert.deepEqual([connection.requests.length, connections[1]!.requests.length], [5, 1])
    for (const stream of [3, 5, 7, 9]) connection.reply(stream)
    t.assert.deepEqual((await Promise.all(answers)).map(outcome), [200, 200, 200, 200])
  })

  test('with an error, streams up to the last one are lost and the others repeated', async (t) => {
    const { answers, connection, connections } = await fourUnderWay(t)
    connection.goaway(5, 11, 'too_many_pings')
    const exchanged = await Promise.all(answers)
    t.assert.deepEqual(exchanged.map(outcome), ['lost', 'lost', 200, 200])
    t.assert.match(whyOf(exchanged[0]!), /before the whole reply: .* GOAWAY \(ENHANCE_YOUR_CALM\): too_many_pings$/)
    t.assert.equal(connections[1]!.requests.length, 2)
  })

  test('with the code of a refusal, it still refuses only what is above the last one', async (t) => {
    const { answers, connection } = await fourUnderWay(t)
    connection.goaway(5, 7)
    t.assert.deepEqual((await Promise.all(answers)).map(outcome), ['lost', 'lost', 200, 200])
  })

  test('a connection that dies after it leaves its streams lost, never half a reply', async (t) => {
    const { answers, connection } = await fourUnderWay(t)
    for (const stream of [3, 5, 7, 9]) {
      connection.begin(stream)
      connection.data(stream, '{"half":')
    }
    connection.goaway(9)
    await connection.caughtUp()
    connection.socket.resetAndDestroy()
    t.assert.deepEqual((await Promise.all(answers)).map(outcome), ['lost', 'lost', 'lost', 'lost'])
  })

  test('a request made in the moment it arrives goes over another connection', async (t) => {
    const { ask, origin, answers, connection, connections, logged, whenLogged } = await fourUnderWay(t)
    const late: ReturnType<typeof ask>[] = []
    whenLogged(() => void (logged.at(-1)!['lastStreamId'] === 9 && late.push(ask(origin, '/late'))))
    connection.goaway(9, 0, '{"reason":"Shutdown"}')
    for (const stream of [3, 5, 7, 9]) connection.reply(stream)
    await Promise.all(answers)
    t.assert.equal(outcome((await Promise.all(late))[0]!), 200)
    t.assert.equal(connections[1]!.requests.length, 1)
    const words = logged.map(({ why }) => why).find((why) => why !== undefined)
    t.assert.equal(words, 'the server said GOAWAY (NO_ERROR): Shutdown')
  })

  test('a server that always sends us away is left alone, and its reason is told', async (t) => {
    const { origin, connections } = await rawHttp2(t, (connection) => {
      connection.onRequest = () => connection.goaway(0, 0, '{"reason":"BadCertificateEnvironment"}')
      connection.settings(100)
    })
    const { ask } = startSender(t)
    const answers = await Promise.all(many(50, () => ask(origin, '/')))
    t.assert.deepEqual(new Set(answers.map(outcome)), new Set(['unsent']))
    for (const answer of answers) t.assert.match(whyOf(answer), /BadCertificateEnvironment/)
    t.assert.equal(connections.length <= 3, true, `${connections.length} connections`)
  })

  test('in the middle of a load nothing is lost and nothing that was processed is repeated', async (t) => {
    const processed: string[] = []
    const { origin, sessions } = await nodeHttp2(t, (stream, headers, connection) => {
      processed.push(headers[':path'] as string)
      stream.respond({ ':status': 200 })
      stream.end('{"ok":true}')
      if (processed.length % 97 !== 0) return
      if (connection % 2 === 0) stream.session!.close()
      else stream.session!.goaway(0, 2 ** 31 - 1)
    })
    const { ask } = startSender(t)
    let left = 2_000
    const answers: (number | string)[] = []
    const worker = async (): Promise<void> => {
      while (left > 0) answers.push(outcome(await ask(origin, `/${left--}`)))
    }
    await Promise.all(many(60, worker))
    t.assert.deepEqual(new Set(answers), new Set([200]))
    t.assert.equal(answers.length, 2_000)
    t.assert.equal(processed.length, 2_000)
    t.assert.equal(new Set(processed).size, 2_000)
    t.assert.equal(sessions.length > 5, true)
  })
})

