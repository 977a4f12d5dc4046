import { once } from 'node:events'
import test, { type TestContext } from 'node:test'
import { openClient } from './client.fixture.ts'
import { Misbehaviour } from './misbehave.ts'
import type { Order } from './order.ts'
import { startSimulators } from './simulators.ts'

const jwt = 'eyJhbGciOiJFUzI1NiIsImtpZCI6IkNBUklMTE9OMDEifQ.eyJpc3MiOiJURUFNMTIzNDU2IiwiaWF0IjoxNzAwMDAwMDAwfQ'
const authorization = `bearer ${jwt}.${'A'.repeat(86)}`
const deviceOf = (number: number) => number.toString(16).padStart(64, '0')

/** APNs without accounts, and a connection on which one push was taken. */
const open = async (t: TestContext) => {
  const clock = { now: 1_700_000_000_000 }
  const simulators = await startSimulators({ now: () => clock.now, seed: 7 })
  t.after(() => simulators.close())
  const connect = async () => {
    const client = await openClient(simulators.urls.apns)
    client.session.on('error', () => {})
    t.after(() => client.close())
    const headers = { authorization, 'apns-topic': 'com.example' }
    const push = (number: number) => client.post(`/3/device/${deviceOf(number)}`, headers, '{"aps":{"badge":1}}')
    const raised = new Promise((resolve) => client.session.once('remoteSettings', resolve))
    await push(0)
    await raised
    return { client, push }
  }
  const first = await connect()
  simulators.clear()
  const fateOf = (number: number) => simulators.fates('apns').get(deviceOf(number))
  const order = (fault: Order) => simulators.order({ ...fault, vendor: 'apns' } as Order)
  /** Resolves when requests for this token are in the book. */
  const noted = (number: number) =>
    new Promise<void>((resolve) => {
      const stop = simulators.watch(() => {
        if (fateOf(number) === undefined) return
        stop()
        resolve()
      })
    })
  return { clock, simulators, connect, fateOf, order, noted, ...first }
}

const none = { taken: 0, answered: 0, ambiguous: 0, refused: 0, early: 0 }

test('a push that goes well is taken once and answered', async (t) => {
  const { push, fateOf } = await open(t)
  t.assert.equal((await push(1)).status, 200)
  t.assert.deepEqual(fateOf(1), { ...none, taken: 1, answered: 1 })
})

test('too fast: refused unprocessed, and a push that comes before its Retry-After is found out', async (t) => {
  const { push, fateOf, order, clock } = await open(t)
  order({ fault: 'limited', retryAfterSeconds: 5, times: 1 })
  const reply = await push(1)
  t.assert.deepEqual([reply.status, reply.headers['retry-after']], [429, '5'])
  t.assert.equal(reply.body, '{"reason":"TooManyRequests"}')
  t.assert.deepEqual(fateOf(1), { ...none, refused: 1 })
  clock.now += 4_999
  await push(1)
  t.assert.deepEqual(fateOf(1), { ...none, refused: 1, taken: 1, answered: 1, early: 1 })
  clock.now += 1
  await push(1)
  t.assert.equal(fateOf(1)!.early, 1)
})

test('who left before the answer was not told to wait, and does not come too early', async (t) => {
  const { client, push, connect, fateOf, order, noted } = await open(t)
  order({ fault: 'latency', ms: 300, token: deviceOf(1), times: 1 })
  order({ fault: 'limited', retryAfterSeconds: 5, token: deviceOf(1), times: 1 })
  const refused = noted(1)
  const left = push(1)
  await push(2)
  client.session.destroy()
  await Promise.all([left, refused])
  const another = await connect()
  t.assert.equal((await another.push(1)).status, 200)
  t.assert.deepEqual(fateOf(1), { ...none, refused: 1, taken: 1, answered: 1 })
})

test('what reaches a connection that hears nothing any more is not looked at, neither then nor when it ends', async (t) => {
  const { client, push, connect, fateOf, order, noted } = await open(t)
  order({ fault: 'half-open', token: deviceOf(1), times: 1 })
  const frozen = noted(1)
  const unheard = Promise.all([push(1), push(2)])
  await frozen
  client.close()
  t.assert.deepEqual((await unheard).map(({ status }) => status), [0, 0])
  const another = await connect()
  t.assert.equal((await another.push(2)).status, 200)
  t.assert.deepEqual(fateOf(2), { ...none, taken: 1, answered: 1 })
})

test('a status is given unprocessed, or after the push was taken all the same', async (t) => {
  const { push, fateOf, order } = await open(t)
  order({ fault: 'status', status: 503, times: 1 })
  t.assert.deepEqual([(await push(1)).body, fateOf(1)], ['{"reason":"ServiceUnavailable"}', { ...none, refused: 1 }])
  order({ fault: 'status', status: 500, processed: true, times: 1 })
  t.assert.deepEqual([(await push(2)).status, fateOf(2)], [500, { ...none, taken: 1, ambiguous: 1 }])
})

test('a reset breaks the connection before or after the push was taken, and keeps what was answered', async (t) => {
  const { connect, fateOf, order } = await open(t)
  const cases = [
    { processed: false, number: 10, fate: { ...none, refused: 1 } },
    { processed: true, number: 20, fate: { ...none, taken: 1, ambiguous: 1 } },
  ]
  for (const { processed, number, fate } of cases) {
    const { push } = await connect()
    order({ fault: 'reset', processed, token: deviceOf(number + 1), times: 1 })
    const [before, hit] = await Promise.all([push(number), push(number + 1)])
    t.assert.deepEqual([before.status, hit.status], [200, 0])
    t.assert.deepEqual(fateOf(number), { ...none, taken: 1, answered: 1 })
    t.assert.deepEqual(fateOf(number + 1), fate)
  }
})

test('GOAWAY refuses its request and later ones, and what was processed before is answered', async (t) => {
  const { client, push, fateOf, order } = await open(t)
  const gone = new Promise<unknown[]>((resolve) => client.session.once('goaway', (...args) => resolve(args)))
  order({ fault: 'latency', ms: 20, token: deviceOf(1), times: 1 })
  order({ fault: 'goaway', code: 0, data: '{"reason":"Shutdown"}', token: deviceOf(2), times: 1 })
  const replies = await Promise.all([1, 2, 3].map(push))
  const [code, , data] = await gone
  t.assert.deepEqual([code, String(data)], [0, '{"reason":"Shutdown"}'])
  t.assert.deepEqual(replies.map(({ status, code: why }) => [status, why]), [[200, 0], [0, 7], [0, 7]])
  t.assert.deepEqual(fateOf(1), { ...none, taken: 1, answered: 1 })
  t.assert.equal(fateOf(2)!.refused, 1)
  t.assert.equal(fateOf(3)?.taken ?? 0, 0)
})

test('GOAWAY at the first of several requests processes none of them', async (t) => {
  const { simulators } = await open(t)
  const client = await openClient(simulators.urls.fcm)
  t.after(() => client.close())
  simulators.order({ vendor: 'fcm', fault: 'goaway', data: 'max_age', times: 1 })
  const path = '/v1/projects/any/messages:send'
  const send = (token: string) => client.post(path, {}, JSON.stringify({ message: { token } }))
  const replies = await Promise.all(['a', 'b', 'c'].map(send))
  t.assert.deepEqual(replies.map(({ status, code }) => [status, code]), [[0, 7], [0, 7], [0, 7]])
  const processed = [...simulators.fates('fcm').values()].filter(({ answered, ambiguous }) => answered + ambiguous > 0)
  t.assert.deepEqual(processed, [])
})

test('GOAWAY with an error leaves open what was processed and not yet answered', async (t) => {
  const { push, fateOf, order, noted } = await open(t)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  order({ fault: 'latency', ms: 20, token: deviceOf(1), times: 1 })
  order({ fault: 'goaway', code: 11, data: 'too_many_pings', token: deviceOf(2), times: 1 })
  const [first] = await Promise.all([push(1), push(2)])
  const heard = noted(1)
  t.mock.timers.tick(20)
  await heard
  t.assert.equal(first!.status, 0)
  t.assert.deepEqual(fateOf(1), { ...none, taken: 1, ambiguous: 1 })
})

test('REFUSED_STREAM ends one request, unprocessed, and leaves the connection', async (t) => {
  const { push, fateOf, order } = await open(t)
  order({ fault: 'refused', times: 1 })
  t.assert.deepEqual([(await push(1)).code, fateOf(1)], [7, { ...none, refused: 1 }])
  t.assert.equal((await push(1)).status, 200)
})

test('a half-open connection answers neither requests nor pings, and stays open', async (t) => {
  const { client, push, fateOf, order, noted, simulators } = await open(t)
  order({ fault: 'half-open', processed: true, times: 1 })
  const heard = noted(1)
  const silent = push(1)
  await heard
  t.assert.deepEqual(fateOf(1), { ...none, taken: 1, ambiguous: 1 })
  let ponged = false
  client.session.ping(() => (ponged = true))
  const other = await openClient(simulators.urls.apns)
  await new Promise((resolve) => other.session.ping(resolve))
  other.close()
  t.assert.equal(ponged, false)
  t.assert.equal(client.session.destroyed, false)
  client.close()
  t.assert.equal((await silent).status, 0)
})

test('a silent request is never answered while its connection goes on', async (t) => {
  const { client, push, fateOf, order, noted } = await open(t)
  order({ fault: 'silent', processed: true, times: 1 })
  const heard = noted(1)
  const silent = push(1)
  await heard
  t.assert.equal((await push(2)).status, 200)
  t.assert.deepEqual(fateOf(1), { ...none, taken: 1, ambiguous: 1 })
  client.close()
  t.assert.equal((await silent).status, 0)
})

test('an answer that hangs begins and does not end', async (t) => {
  const { client, fateOf, order } = await open(t)
  order({ fault: 'hang', times: 1 })
  const headers = { ':method': 'POST', ':path': `/3/device/${deviceOf(1)}`, authorization, 'apns-topic': 'com.example' }
  const stream = client.session.request(headers)
  stream.on('error', () => {})
  stream.end('{"aps":{"badge":1}}')
  const [{ ':status': status }] = await once(stream, 'response')
  t.assert.equal(status, 200)
  t.assert.deepEqual(fateOf(1), { ...none, taken: 1, ambiguous: 1 })
  t.assert.equal(stream.closed, false)
})

test('garbage is no answer, and what it was about was taken', async (t) => {
  const { push, fateOf, order } = await open(t)
  order({ fault: 'garbage', times: 1 })
  const { status, body } = await push(1)
  t.assert.equal(status, 200)
  t.assert.throws(() => JSON.parse(body))
  t.assert.deepEqual(fateOf(1), { ...none, taken: 1, ambiguous: 1 })
})

test('a late answer to a client that has left counts as lost', async (t) => {
  const { client, push, fateOf, order, noted, connect } = await open(t)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  order({ fault: 'latency', ms: 50, token: deviceOf(1), times: 1 })
  const pushed = push(1)
  await new Promise((resolve) => client.session.ping(resolve))
  client.close()
  await pushed
  // What a later connection said was answered, so the end of the earlier one has been seen.
  await connect()
  const heard = noted(1)
  t.mock.timers.tick(50)
  await heard
  t.assert.deepEqual(fateOf(1), { ...none, taken: 1, ambiguous: 1 })
})

test('a token that is made dead stays dead until orders are forgotten', async (t) => {
  const { push, fateOf, order, simulators } = await open(t)
  order({ fault: 'dead', times: 1 })
  t.assert.deepEqual([(await push(1)).status, (await push(1)).status, (await push(2)).status], [410, 410, 200])
  simulators.forgetOrders()
  t.assert.equal((await push(1)).status, 200)
  t.assert.deepEqual(fateOf(1), { ...none, taken: 1, answered: 3 })
})

test('an access token runs out when ordered, in the vendor\'s words', async (t) => {
  const { push, order } = await open(t)
  order({ fault: 'expired', times: 1 })
  t.assert.equal((await push(1)).body, '{"reason":"ExpiredProviderToken"}')
})

test('other requests than pushes have troubles of their own', async (t) => {
  const { simulators } = await open(t)
  simulators.order({ vendor: 'fcm', fault: 'status', status: 503, times: 1 })
  simulators.order({ vendor: 'fcm', fault: 'status', status: 502, on: 'access', times: 1 })
  const ask = () => fetch(`${simulators.urls.fcm}/token`, { method: 'POST', body: new URLSearchParams({}) })
  t.assert.deepEqual([(await ask()).status, (await ask()).status], [502, 400])
  t.assert.deepEqual(simulators.orders(), [{ vendor: 'fcm', fault: 'status', status: 503, times: 1 }])
})

test('the same seed gives the same misfortunes, about as many as their chance says', (t) => {
  const hits = (seed: number) => {
    const misbehaviour = new Misbehaviour(seed)
    misbehaviour.order({ fault: 'reset', chance: 0.25 })
    return Array.from({ length: 4000 }, () => misbehaviour.befall('fcm', ['a']).fault !== undefined)
  }
  t.assert.deepEqual(hits(3), hits(3))
  t.assert.notDeepEqual(hits(3), hits(4))
  const share = hits(3).filter(Boolean).length / 4000
  t.assert.equal(share > 0.22 && share < 0.28, true, `${share}`)
})

test('latencies add up, and of other faults the oldest order wins', (t) => {
  const misbehaviour = new Misbehaviour(1)
  misbehaviour.order({ fault: 'latency', ms: 5 })
  misbehaviour.order({ fault: 'garbage', times: 1 })
  misbehaviour.order({ fault: 'latency', ms: 7, vendor: 'oppo' })
  misbehaviour.order({ fault: 'reset', times: 1, token: 'b' })
  t.assert.deepEqual(misbehaviour.befall('oppo', ['a', 'b']), { delayMs: 12, fault: { fault: 'garbage', times: 1 } })
  t.assert.equal(misbehaviour.befall('fcm', ['a']).fault, undefined)
  t.assert.equal(misbehaviour.befall('fcm', ['b']).fault?.fault, 'reset')
  t.assert.deepEqual(misbehaviour.befall('fcm', ['b']), { delayMs: 5, fault: undefined })
})
