import { setTimeout as pause } from 'node:timers/promises'
import type { Carillon } from '../../../test/harness/carillon.ts'
import type { Called, Calls, Clients } from '../clients.ts'
import { loopDelayMs, startOnCopy } from '../carillon.ts'
import { credentialsOf, type Crowd } from '../crowd.ts'
import type { Bench, Sample } from '../job.ts'

const CONNECTIONS = 64
const DETAILS_AT_ONCE = 500

/** Calls of notify, with these bodies in turn. */
export const callNotify = (
  clients: Clients,
  { port, admin }: { port: number; admin: string },
  bodies: readonly string[],
  extent: Calls['for'],
): Promise<Called> =>
  clients.call({
    port,
    connections: CONNECTIONS,
    path: '/push/notify',
    headers: { app_id: 'demo', 'access-token': admin },
    bodies,
    for: extent,
  })

/** A notification of the usual size to one audience. */
export const bodyFor = (audience: unknown): string =>
  JSON.stringify({
    audience,
    setting: { distribution_strategy: 'nativepush_only' },
    message: {
      title: 'Your order is on its way',
      body: 'It left the warehouse this morning and arrives tomorrow.',
      ext: { order: 4711 },
    },
  })

/** Notifications a second to one connected device at a time: done when the counters say received for each of them. */
export const notifyEach = async (
  bench: Bench,
  crowd: Crowd,
  { online, requests, audienceOf }: { online: number; requests: number; audienceOf: (place: number) => unknown },
): Promise<Sample> => {
  const { carillon, stop } = await startOnCopy(bench.scratch, crowd)
  const devices = bench.clients.devices(carillon.mqttPort, 'push', credentialsOf(crowd.members))
  await devices.connect(online)
  await carillon.online(crowd.members[online - 1]!)
  const bodies = Array.from({ length: online }, (_, place) => bodyFor(audienceOf(place)))
  const call = (count: number) => callNotify(bench.clients, carillon, bodies, { requests: count })
  const warmUp = Math.ceil(requests / 5)
  const warm = devices.expect(warmUp)
  await call(warmUp)
  await warm
  await loopDelayMs(carillon)

  const all = devices.expect(requests)
  const called = await call(requests)
  const got = await all
  const countedAt = await untilCounted(carillon, called.mostTask, requests)
  const seconds = (countedAt - called.began) / 1e9
  const sample = {
    value: requests / seconds,
    clientCpu: called.cpu / called.seconds + got.cpu / got.seconds,
    loopDelayMs: await loopDelayMs(carillon),
    seen: { 'p50 ms': called.p50, 'p99 ms': called.p99 },
  }
  await devices.stop()
  await stop()
  return sample
}

/** Whether the counters say received for so many devices of each of these tasks. */
export const areCounted = async (carillon: Carillon, tasks: readonly number[], devices: number): Promise<boolean> => {
  const asked = { token: carillon.admin, body: { list: tasks } }
  const rows = await carillon.ok<{ nativepush_received: number }[]>('/push/task/detail', asked)
  return rows.length === tasks.length && rows.every((row) => row.nativepush_received === devices)
}

/**
 * When the counters said received for all of the last `count` tasks, on the clock of process.hrtime. The newest are
 * asked again and again; the older ones once, after that: if one of them is behind, the clock runs on.
 */
const untilCounted = async (carillon: Carillon, newest: number, count: number): Promise<number> => {
  let countedAt = 0
  for (let done = 0; done < count; done += DETAILS_AT_ONCE) {
    const list = Array.from({ length: Math.min(DETAILS_AT_ONCE, count - done) }, (_, i) => newest - done - i)
    for (let looks = 1; ; looks++) {
      const isCounted = await areCounted(carillon, list, 1)
      if (isCounted && (done === 0 || looks > 1)) countedAt = Number(process.hrtime.bigint())
      if (isCounted) break
      await pause(5)
    }
  }
  return countedAt
}
