import type { Carillon } from '../../../test/harness/carillon.ts'
import { loopDelayMs, startOn, startOnCopy } from '../carillon.ts'
import type { Crowd } from '../crowd.ts'
import { alternate, ratios, type Bench, type Job, type Sample } from '../job.ts'
import { median } from '../statistics.ts'
import { bodyFor, callNotify } from './notifying.ts'

const KNOWN = 100
const TIMES = 40

interface Extent {
  devices: number
  tasks: number
}

export const lists: Job = {
  name: 'lists',
  about:
    'Pages of 50 as the console asks for them, at the beginning, in the middle and at the end of lists, searched and narrowed: the slowest kind, among 1,000,000 devices and 100,000 tasks; against the same among 1,000 of each.',
  run: async (bench) => {
    const [few, many]: Extent[] = bench.quick
      ? [{ devices: 300, tasks: 200 }, { devices: 3_000, tasks: 2_000 }]
      : [{ devices: 1_000, tasks: 1_000 }, { devices: 1_000_000, tasks: 100_000 }]
    const [small, large] = [await withTasks(bench, few!), await withTasks(bench, many!)]
    const samples = await alternate(bench, { few: () => turnPages(bench, small, few!), many: () => turnPages(bench, large, many!) })
    return {
      measured: 'milliseconds for a page of the slowest kind, over HTTP',
      samples,
      rows: [{ what: 'the slowest page of a large list', unit: '×', better: 'less', values: ratios(samples.many, samples.few) }],
    }
  },
}

/** The population, with so many tasks to one user each. */
const withTasks = async (bench: Bench, { devices, tasks }: Extent): Promise<Crowd> => {
  const crowd = await bench.population(devices, KNOWN)
  bench.say(`  sending ${tasks} tasks`)
  const data = bench.scratch.copyOf(crowd.data)
  const { carillon, stop } = await startOn(bench.scratch, data)
  const bodies = crowd.members.map(({ user_id }) => bodyFor({ user_id: [user_id] }))
  await callNotify(bench.clients, { port: carillon.port, admin: crowd.admin }, bodies, { requests: tasks })
  await stop()
  return { ...crowd, data }
}

const turnPages = async (bench: Bench, crowd: Crowd, { devices, tasks }: Extent): Promise<Sample> => {
  const { carillon, stop } = await startOnCopy(bench.scratch, crowd)
  // Ids ascend from 1; lists begin with the newest.
  const kinds: Record<string, string> = {
    'devices, first': '/device/list',
    'devices, middle': `/device/list?after=${Math.floor(devices / 2)}`,
    'devices, last': '/device/list?after=51',
    'devices of a user': '/device/list?search=member-7',
    'devices online': '/device/list?online=true',
    'users by the beginning': '/user/search?search=member-',
    'tasks, first': '/push/task/list',
    'tasks, middle': `/push/task/list?before=${Math.floor(tasks / 2)}`,
    'tasks, last': '/push/task/list?before=51',
    'tasks, narrowed': '/push/task/list?state=sending&audience_kind=user_id',
  }
  for (const path of Object.values(kinds)) await timed(carillon, path)
  await loopDelayMs(carillon)
  const seen: Record<string, number> = {}
  for (const [name, path] of Object.entries(kinds)) {
    const times: number[] = []
    for (let i = 0; i < TIMES; i++) times.push(await timed(carillon, path))
    seen[name] = median(times)
  }
  const sample = { value: Math.max(...Object.values(seen)), loopDelayMs: await loopDelayMs(carillon), seen }
  await stop()
  return sample
}

const timed = async (carillon: Carillon, path: string): Promise<number> => {
  const began = performance.now()
  await carillon.ok(path, { token: carillon.admin })
  return performance.now() - began
}
