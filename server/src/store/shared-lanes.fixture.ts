import test, { type TestContext } from 'node:test'
import { addressesOf } from './addresses.ts'
import { bindVendorToken } from './devices.ts'
import { listEvents, setWebhook } from './events.ts'
import { NOW, addDevice, addUser } from './people.fixture.ts'
import { type LaneNews, forgetAccount, lanesOf, lookAtLane, meetLanes, purgeLanes, quarantineBelieved, readLanes, takeTime } from './shared-lanes.ts'
import type { Store } from './store.ts'
import { claimAccess, keepAccess, readAccess, refuseAccess } from './vendor-access.ts'

const limit = { timeout: 60_000 }
const MINUTE = 60_000
const place = { app: 1, vendor: 'fcm', environment: 1 } as const
const account = 'fcm 1'
const times = <R>(count: number, make: (i: number) => Promise<R>): Promise<R[]> => Promise.all(Array.from({ length: count }, (_, i) => make(i)))

const take = async (store: Store, fromUs: number, lengthUs: number) =>
  (await store.write(takeTime, { node: 'a', place, account, fromUs, lengthUs, now: NOW })).endUs

const meet = (store: Store, more: Partial<LaneNews>, now = NOW, node = 'a') => {
  const news = [{ account, place, answers: 0, dead: 0, worked: false, underWay: 0, pause: null, noBodies: null, ...more }]
  return store.write(meetLanes, { node, news, rests: [], accounts: [account], restsAfter: 0, now })
}

const eventsOf = async (store: Store, kind: string) => (await store.read(listEvents, { app: 1, before: 1_000, limit: 100 })).filter((event) => event.kind === kind)
const listen = (store: Store) => store.write(setWebhook, { app: 1, url: 'https://hook.example', secret: Uint8Array.of(1), actor: '', now: NOW })

/** Devices with a token each, and how to quarantine the one of each. */
const addTokens = async (store: Store, count: number) => {
  const userId = await addUser(store, 1, 'ann')
  const devices = await times(count, (i) => addDevice(store, 1, userId, `guid ${i}`))
  const ids = devices.map(({ deviceId }) => deviceId)
  await Promise.all(devices.map((device) =>
    store.write(bindVendorToken, { device, by: { vendor: 'fcm', environment: 1 }, token: `token ${device.deviceId}`, platform: null, now: NOW })))
  const bury = (deviceId: number, now = NOW) =>
    store.write(quarantineBelieved, { account, place, tokens: [{ deviceId, token: `token ${deviceId}`, before: NOW }], now })
  const inUse = async () => (await store.read(addressesOf, { ids, vendor: 'fcm', environment: 1 })).length
  return { ids, bury, inUse }
}

/** What nodes that send through the same lanes rely on, whichever engine is behind it. */
export const keepsSharedLanes = (open: (t: TestContext) => Promise<Store>): void => {
  test("a lane's time is given out once, whoever asks, and begins now where nobody has used it", limit, async (t: TestContext) => {
    const store = await open(t)
    t.assert.equal(await take(store, 1_000, 50), 1_050)
    t.assert.equal(await take(store, 900, 10), 1_060)
    t.assert.equal(await take(store, 2_000, 10), 2_010)
    const ends = await times(64, (i) => take(store, 1_500 + i, 100))
    t.assert.deepEqual(ends.sort((a, b) => a - b), Array.from({ length: 64 }, (_, i) => 2_110 + i * 100))
    const { endUs } = await store.write(takeTime, { node: 'a', place: { ...place, environment: 0 }, account, fromUs: 5, lengthUs: 5, now: NOW })
    t.assert.equal(endUs, 10, 'the other environment is another lane')
  })

  test('a pause is heard with the time of the lane, the longest one counts, and another certificate has none', limit, async (t: TestContext) => {
    const store = await open(t)
    await meet(store, { pause: { until: NOW + MINUTE, why: 'denied', failures: 0, tell: false } })
    await meet(store, { pause: { until: NOW + 1_000, why: 'limited', failures: 6, tell: false } })
    const { state } = await store.write(takeTime, { node: 'a', place, account, fromUs: 1, lengthUs: 1, now: NOW })
    t.assert.deepEqual([state.pausedUntil, state.why, state.failures], [NOW + MINUTE, 'denied', 6])
    const other = await store.write(takeTime, { node: 'a', place, account: 'fcm 2', fromUs: 1, lengthUs: 1, now: NOW })
    t.assert.deepEqual([other.state.pausedUntil, other.state.why], [0, ''])
    t.assert.deepEqual((await store.read(lanesOf, { app: 1, now: NOW })).map((lane) => lane.account), [account, 'fcm 2'], 'all know of it')
  })

  test('the operator is told of a pause once, also when several nodes meet it at once, until something has worked', limit, async (t: TestContext) => {
    const store = await open(t)
    await listen(store)
    const pause = { until: NOW + MINUTE, why: 'denied', failures: 0, tell: true }
    const turns = await times(16, () => meet(store, { pause }))
    t.assert.equal(turns.filter((met) => met.turns[0]!.told).length, 1)
    t.assert.equal((await eventsOf(store, 'lane.paused')).length, 1)
    await meet(store, { worked: true })
    t.assert.equal((await meet(store, { pause: { ...pause, until: NOW + 2 * MINUTE } })).turns[0]!.told, true)
    t.assert.equal((await eventsOf(store, 'lane.paused')).length, 2)
  })

  test("the answers of all nodes are summed, and who makes it too many gives back the minute's tokens, once", limit, async (t: TestContext) => {
    const store = await open(t)
    await listen(store)
    const { ids, bury, inUse } = await addTokens(store, 4)
    await bury(ids[0]!, NOW - MINUTE - 1)
    await bury(ids[1]!)
    t.assert.equal(await inUse(), 2)
    await meet(store, { answers: 30, dead: 0 })
    const [tripped] = (await meet(store, { answers: 30, dead: 13 })).turns
    t.assert.equal(tripped!.released, 1)
    const again = await times(8, () => meet(store, { answers: 30, dead: 30 }))
    t.assert.deepEqual(again.map(({ turns }) => turns[0]!.released), Array(8).fill(null))
    t.assert.equal((await eventsOf(store, 'lane.tokens_dying')).length, 1)
    t.assert.equal(again[0]!.lanes[0]!.doubtedAt, NOW)
    t.assert.equal(await inUse(), 3, 'what was quarantined before that minute stays so')
    t.assert.equal(await bury(ids[2]!), 0)
    await meet(store, { answers: 50, dead: 10 }, NOW + 2 * MINUTE)
    t.assert.equal(await bury(ids[3]!, NOW + 2 * MINUTE), 1)
    t.assert.equal(await inUse(), 2)
  })

  test('whatever is quarantined at the very moment is given back too, or not quarantined at all', limit, async (t: TestContext) => {
    const store = await open(t)
    const { ids, bury, inUse } = await addTokens(store, 60)
    const [buried] = await Promise.all([times(60, (i) => bury(ids[i]!)), meet(store, { answers: 60, dead: 60 })])
    t.assert.equal(await inUse(), 60, `${buried.filter((count) => count === 1).length} of 60 were quarantined`)
  })

  test('requests under way are summed over the nodes that live', limit, async (t: TestContext) => {
    const store = await open(t)
    const total = async (now: number) => (await store.read(lanesOf, { app: 1, now }))[0]!.underWay
    await meet(store, { underWay: 3 })
    await meet(store, { underWay: 4 }, NOW + 2_000, 'b')
    t.assert.equal(await total(NOW + 2_000), 7)
    t.assert.equal((await meet(store, { underWay: 5 }, NOW + 3_000, 'b')).lanes[0]!.underWay, 3, 'those of the others')
    t.assert.equal(await total(NOW + 4_999), 8)
    t.assert.equal(await total(NOW + 5_000), 5, 'a node that says nothing more is gone')
    await meet(store, {}, NOW + 5_000, 'b')
    t.assert.equal(await total(NOW + 5_000), 0)
  })

  test('devices to be left alone are heard of by all, until their time is over', limit, async (t: TestContext) => {
    const store = await open(t)
    const tell = (deviceId: number, until: number, now: number) =>
      store.write(meetLanes, { node: 'a', news: [], rests: [{ account, deviceId, until }], accounts: [], restsAfter: now, now })
    const hear = async (restsAfter: number, now: number) => (await store.read(readLanes, { node: 'a', accounts: [], restsAfter, now })).rests
    await tell(1, NOW + 5_000, NOW)
    await tell(2, NOW + 9_000, NOW + 1)
    await tell(1, NOW + 1_000, NOW + 2)
    t.assert.deepEqual(await hear(NOW, NOW + 3), [{ account, deviceId: 2, until: NOW + 9_000 }])
    t.assert.deepEqual((await hear(0, NOW + 3)).map(({ deviceId, until }) => [deviceId, until]), [[2, NOW + 9_000], [1, NOW + 5_000]])
    t.assert.deepEqual((await hear(0, NOW + 5_000)).map(({ deviceId }) => deviceId), [2])
  })

  test('who looks at a lane hears how it is and which of its own devices are to be left alone, whenever that was told', limit, async (t: TestContext) => {
    const store = await open(t)
    const look = (of: string, devices: number[], now: number) => store.read(lookAtLane, { node: 'b', account: of, devices, now })
    t.assert.equal(await look(account, [1, 2], NOW), undefined, 'nobody has used it yet')
    await meet(store, { pause: { until: NOW + 60_000, why: 'slower', failures: 0, tell: false } })
    t.assert.deepEqual((await look(account, [1, 2], NOW))!.rests, [])
    const rests = [[account, 1], [account, 2], [account, 3], ['another', 4]].map(([of, deviceId]) => ({ account: of as string, deviceId: deviceId as number, until: NOW + 1_000 * (deviceId as number) }))
    await store.write(meetLanes, { node: 'a', news: [], rests, accounts: [], restsAfter: NOW, now: NOW })
    const heard = await look(account, [4, 3, 1], NOW + 999)
    t.assert.deepEqual(heard!.rests.map(({ deviceId, until }) => [deviceId, until]), [[1, NOW + 1_000], [3, NOW + 3_000]])
    t.assert.deepEqual([heard!.state.pausedUntil, heard!.state.why], [NOW + 60_000, 'slower'])
    t.assert.deepEqual((await look(account, [4, 3, 1], NOW + 1_000))!.rests.map(({ deviceId }) => deviceId), [3])
    t.assert.equal(await look('another', [4], NOW), undefined)
  })

  test('of all who want a new access token one asks for it, and when it does not come another one may', limit, async (t: TestContext) => {
    const store = await open(t)
    const seat = { account, region: '' }
    const claim = (more: Partial<Parameters<typeof claimAccess>[1]> = {}) =>
      store.write(claimAccess, { ...seat, after: 0, dropped: 0, anew: false, alone: false, now: NOW, until: NOW + 30_000, ...more })
    t.assert.equal((await times(32, () => claim())).filter(Boolean).length, 1)
    t.assert.equal(await claim({ now: NOW + 29_999 }), false)
    t.assert.equal(await claim({ alone: true }), true, 'where there is nobody else, nobody else is asking')
    t.assert.equal((await times(32, () => claim({ now: NOW + 30_000, until: NOW + 60_000 }))).filter(Boolean).length, 1)
    await store.write(keepAccess, { ...seat, token: Uint8Array.of(7), renewAt: NOW + 100_000, endsAt: NOW + 200_000, now: NOW })
    t.assert.equal(await claim(), false, 'there is one')
    t.assert.equal(await claim({ now: NOW + 100_000 }), true, 'it is to be renewed')
  })

  test('a token the vendor does not take is over for all, is replaced once, and the new one is never mistaken for it', limit, async (t: TestContext) => {
    const store = await open(t)
    const seat = { account, region: '' }
    const keep = (now: number) => store.write(keepAccess, { ...seat, token: Uint8Array.of(7), renewAt: NOW + 100_000, endsAt: NOW + 200_000, now })
    const first = await keep(NOW)
    const claim = { ...seat, after: first, dropped: first, anew: false, alone: false, now: NOW, until: NOW + 30_000 }
    t.assert.equal((await times(16, () => store.write(claimAccess, claim))).filter(Boolean).length, 1)
    t.assert.equal((await store.read(readAccess, seat))!.endsAt, 0)
    const second = await keep(NOW - 5_000) // by a node whose clock is behind
    t.assert.equal(second > first, true)
    t.assert.equal(await store.write(claimAccess, claim), false)
    t.assert.equal((await store.read(readAccess, seat))!.endsAt, NOW + 200_000)
  })

  test('what a vendor said instead of giving a token holds for all until its time, but for whoever tries anew', limit, async (t: TestContext) => {
    const store = await open(t)
    const seat = { account, region: 'eu' }
    const claim = { ...seat, after: 0, dropped: 0, anew: false, alone: false, now: NOW, until: NOW + 1 }
    t.assert.equal(await store.write(claimAccess, claim), true)
    await store.write(refuseAccess, { ...seat, refusal: '{}', until: NOW + MINUTE })
    t.assert.equal(await store.write(claimAccess, claim), false)
    t.assert.equal(await store.write(claimAccess, { ...claim, anew: true }), true)
    t.assert.equal(await store.write(claimAccess, { ...claim, now: NOW + MINUTE }), true)
  })

  test('what is over is removed, and all that was known of a replaced certificate', limit, async (t: TestContext) => {
    const store = await open(t)
    const week = 7 * 86_400_000
    await meet(store, { pause: { until: NOW + week + MINUTE, why: 'denied', failures: 0, tell: false } })
    await store.write(keepAccess, { account, region: '', token: Uint8Array.of(7), renewAt: NOW, endsAt: NOW + MINUTE, now: NOW })
    await store.write(purgeLanes, { now: NOW + MINUTE - 1 })
    t.assert.notEqual(await store.read(readAccess, { account, region: '' }), undefined)
    await store.write(purgeLanes, { now: NOW + MINUTE })
    t.assert.equal(await store.read(readAccess, { account, region: '' }), undefined)
    await store.write(purgeLanes, { now: NOW + week + 1 })
    t.assert.equal((await store.read(lanesOf, { app: 1, now: NOW })).length, 1, 'a pause is kept until it is over')
    await store.write(purgeLanes, { now: NOW + week + MINUTE + 1 })
    t.assert.deepEqual(await store.read(lanesOf, { app: 1, now: NOW }), [])
    await meet(store, { answers: 1 })
    await store.write(forgetAccount, { account })
    t.assert.deepEqual(await store.read(lanesOf, { app: 1, now: NOW }), [])
  })
}
