import { once } from 'node:events'
import { createServer as createHttp2 } from 'node:http2'
import { type AddressInfo, createServer } from 'node:net'
import { suite, test } from 'node:test'
import { rawHttp2, type RawConnection, welcome } from './raw-http2.fixture.ts'
import { outcome, startSender, until, whyOf } from './send.fixture.ts'

const TIMEOUT = { timeout: 20_000 }

suite('connections that are no more', TIMEOUT, () => {
  test('no answer in time is lost; without an answer to a PING the connection and all it carries is too', async (t) => {
    const { origin, connections } = await rawHttp2(t, (connection) => welcome(connection, 100))
    const { ask, clock } = startSender(t)
    await ask(origin, '/')
    const [connection] = connections as [RawConnection]
    connection.isSilent = true
    const [short, long] = [ask(origin, '/', { timeoutMs: 5_000 }), ask(origin, '/', { timeoutMs: 60_000 })]
    clock.at += 5_000
    t.assert.deepEqual(await short, { kind: 'lost', why: 'no answer within 5 s' })
    // While it is in doubt, others carry what comes.
    t.assert.equal(outcome(await ask(origin, '/')), 200)
    t.assert.deepEqual(connections[1]!.requests, [1])
    clock.at += 5_000
    const why = 'the connection ended before the whole reply: no answer to a PING within 5 s'
    t.assert.deepEqual(await long, { kind: 'lost', why })
    await until(() => connection.socket.destroyed)
  })

  test('a server that is slow but alive keeps its connection', async (t) => {
    const { origin, connections } = await rawHttp2(t, (connection) => connection.settings(100))
    const { ask, clock, looked } = startSender(t)
    const first = ask(origin, '/')
    await until(() => connections[0]?.requests.length === 1)
    clock.at += 10_000
    t.assert.equal((await first).kind, 'lost')
    await until(() => connections[0]!.pings === 1)
    await looked() // the answer to it has arrived
    clock.at += 10_000
    connections[0]!.onRequest = (stream) => connections[0]!.reply(stream)
    t.assert.equal(outcome(await ask(origin, '/')), 200)
    t.assert.equal(connections.length, 1)
  })

  test('after an idle minute a connection is asked for a sign of life before its use, and never before', async (t) => {
    const { origin, connections } = await rawHttp2(t, (connection) => welcome(connection, 100))
    const { ask, clock, looked } = startSender(t)
    await ask(origin, '/')
    const [connection] = connections as [RawConnection]
    clock.at += 59_000
    await ask(origin, '/')
    t.assert.equal(connection.pings, 0)
    for (let i = 0; i < 5; i++) {
      clock.at += 60_000
      await looked()
    }
    t.assert.equal(connection.pings, 0)
    let pingsBefore = 0
    connection.onRequest = (stream) => {
      pingsBefore = connection.pings
      connection.reply(stream)
    }
    t.assert.equal(outcome(await ask(origin, '/')), 200)
    t.assert.equal(pingsBefore, 1)

    clock.at += 60_000
    connection.isSilent = true
    const answer = ask(origin, '/')
    await until(() => connection.socket.bytesRead > 0)
    clock.at += 5_000
    t.assert.equal(outcome(await answer), 200)
    t.assert.equal(connections.length, 2)
  })

  test('a connection is let go when it was idle for long', async (t) => {
    const { origin, connections } = await rawHttp2(t, (connection) => welcome(connection))
    const { ask, clock } = startSender(t)
    await ask(origin, '/')
    clock.at += 600_000
    await until(() => connections[0]!.socket.destroyed)
    t.assert.equal(outcome(await ask(origin, '/')), 200)
  })

  test('an old connection takes nothing new and ends when its last stream does', async (t) => {
    const { origin, connections } = await rawHttp2(t, (connection) => welcome(connection))
    const { ask, clock, looked } = startSender(t)
    await ask(origin, '/')
    connections[0]!.onRequest = () => {}
    const slow = ask(origin, '/', { timeoutMs: 9_000_000 })
    await until(() => connections[0]!.requests.length === 2)
    clock.at += 55 * 60_000
    await looked()
    t.assert.equal(outcome(await ask(origin, '/')), 200)
    t.assert.deepEqual(connections[1]!.requests, [1])
    connections[0]!.reply(3)
    t.assert.equal(outcome(await slow), 200)
    await until(() => connections[0]!.socket.destroyed)
  })

  test('a connection that ends before the whole reply loses it', async (t) => {
    for (const end of ['end', 'destroy', 'resetAndDestroy'] as const) {
      const { origin } = await rawHttp2(t, (connection) => {
        connection.onRequest = (stream) => {
          connection.begin(stream)
          connection.data(stream, '{"half":')
          connection.socket[end]()
        }
        connection.settings(100)
      })
      const { ask } = startSender(t)
      t.assert.equal((await ask(origin, '/')).kind, 'lost')
    }
  })

  test('when none can be had, requests fail at once with the reason, and the pauses grow', async (t) => {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    const { ask, clock } = startSender(t)
    const origin = `http://127.0.0.1:${port}`
    const first = await ask(origin, '/')
    t.assert.equal(first.kind, 'unsent')
    t.assert.match(whyOf(first), /ECONNREFUSED .* the next try is in 1 s/)
    clock.at += 999
    t.assert.match(whyOf(await ask(origin, '/')), /ECONNREFUSED .* the next try is in 0 s/)
    clock.at += 1
    t.assert.match(whyOf(await ask(origin, '/')), /the next try is in 2 s/)

    const again = createHttp2((_, response) => response.end())
    again.listen(port, '127.0.0.1')
    t.after(() => again.close())
    await once(again, 'listening')
    t.assert.equal((await ask(origin, '/')).kind, 'unsent')
    clock.at += 2_000
    t.assert.equal(outcome(await ask(origin, '/')), 200)
  })

  test('a server that never says hello is given up after ten seconds', async (t) => {
    const { origin, connections } = await rawHttp2(t, () => {})
    const { ask, clock } = startSender(t)
    const answer = ask(origin, '/', { timeoutMs: 30_000 })
    await until(() => connections.length === 1)
    clock.at += 10_000
    t.assert.match(whyOf(await answer), /no connection within 10 s/)
  })
})

