import { setTimeout as pause } from 'node:timers/promises'
import { type Served, type Started, loopDelayMs, startOnCopy } from '../carillon.ts'
import type { Called, Calls, Clients } from '../clients.ts'
import type { Crowd } from '../crowd.ts'
import { connectAll } from '../fleet.ts'
import type { Bench, Sample } from '../job.ts'
import { cpuSeconds } from '../process.ts'

const CONNECTIONS = 64
const DETAILS_AT_ONCE = 500

/** Calls of notify, with these bodies in turn. */
export const callNotify = (
  clients: Clients,
  { port, admin }: { port: number; admin: string },
  bodies: readonly string[],
  extent: Calls['for'],
  connections = CONNECTIONS,
): Promise<Called> =>
  clients.call({
    port,
    connections,
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

/** Every body so many times, by a caller at each node who has a part of the bodies and of the connections. */
const callAll = async (clients: Clients, { nodes, admin }: Served, bodies: readonly string[], times: number): Promise<Called> => {
  const called = await Promise.all(
    nodes.map(({ port }, place) => {
      const own = bodies.filter((_, i) => i % nodes.length === place)
      return callNotify(clients, { port, admin }, own, { requests: own.length * times }, Math.ceil(CONNECTIONS / nodes.length))
    }),
  )
  const sum = (name: 'answered' | 'failed' | 'cpu'): number => called.reduce((all, each) => all + each[name], 0)
  const most = (name: keyof Called): number => Math.max(...called.map((each) => each[name]))
  const least = (name: keyof Called): number => Math.min(...called.map((each) => each[name]))
  return {
    answered: sum('answered'), failed: sum('failed'), cpu: sum('cpu'), began: least('began'), seconds: most('seconds'),
    p50: most('p50'), p99: most('p99'), p999: most('p999'), max: most('max'), leastTask: least('leastTask'), mostTask: most('mostTask'),
  }
}

/** Notifications a second to one connected device at a time, `each` to every one: done when the counters say received for all. */
export const notifyEach = async (
  bench: Bench,
  crowd: Crowd,
  { online, each, audienceOf }: { online: number; each: number; audienceOf: (place: number) => unknown },
  start: () => Promise<Started> = () => startOnCopy(bench.scratch, crowd),
): Promise<Sample> => {
  const { carillon, stop } = await start()
  const devices = await connectAll(bench, carillon, crowd.members.slice(0, online))
  const bodies = Array.from({ length: online }, (_, place) => bodyFor(audienceOf(place)))
  const call = (times: number) => callAll(bench.clients, carillon, bodies, times)
  // As much as is measured: the compiler is at work for the first 20,000 or so, and takes a fifth of a core meanwhile.
  const warm = devices.expect(each)
  await call(each)
  await warm
  await loopDelayMs(carillon)

  const requests = online * each
  const cpu = () => carillon.nodes.reduce((all, { pid }) => all + cpuSeconds(pid), 0)
  const cpuBefore = cpu()
  const all = devices.expect(each)
  const called = await call(each)
  const got = await all
  const countedAt = await untilCounted(carillon, called, requests)
  const seconds = (countedAt - called.began) / 1e9
  const sample = {
    value: requests / seconds,
    clientCpu: called.cpu / called.seconds + got.cpu / got.seconds,
    loopDelayMs: await loopDelayMs(carillon),
    seen: { 'p50 ms': called.p50, 'p99 ms': called.p99, 'µs of CPU each': ((cpu() - cpuBefore) * 1e6) / requests },
  }
  await devices.stop()
  await stop()
  return sample
}

/** How many of these tasks there are; undefined while the counters do not say received for so many devices of each. */
const counted = async (carillon: Served, tasks: readonly number[], devices: number): Promise<number | undefined> => {
  const asked = { token: carillon.admin, body: { list: tasks } }
  const rows = await carillon.ok<{ nativepush_received: number }[]>('/push/task/detail', asked)
  return rows.every((row) => row.nativepush_received === devices) ? rows.length : undefined
}

/** Whether the counters say received for so many devices of each of these tasks. */
export const areCounted = async (carillon: Served, tasks: readonly number[], devices: number): Promise<boolean> =>
  (await counted(carillon, tasks, devices)) === tasks.length

/**
 * When the counters said received for all of these tasks, on the clock of process.hrtime. The newest are asked again and
 * again; the older ones once, after that: if one of them is behind, the clock runs on. Ids may have gaps between them.
 */
const untilCounted = async (
  carillon: Served,
  { leastTask, mostTask }: Pick<Called, 'leastTask' | 'mostTask'>,
  count: number,
): Promise<number> => {
  let countedAt = 0
  let found = 0
  for (let newest = mostTask; newest >= leastTask; newest -= DETAILS_AT_ONCE) {
    const list = Array.from({ length: Math.min(DETAILS_AT_ONCE, newest - leastTask + 1) }, (_, i) => newest - i)
    for (let looks = 1; ; looks++) {
      const there = await counted(carillon, list, 1)
      if (there !== undefined && (newest === mostTask || looks > 1)) countedAt = Number(process.hrtime.bigint())
      if (there !== undefined) found += there
      if (there !== undefined) break
      await pause(5)
    }
  }
  if (found !== count) throw new Error(`${found} tasks of ${count} that were accepted`)
  return countedAt
}
