import { setTimeout as pause } from 'node:timers/promises'
import { loopDelayMs, startOnCopy } from '../carillon.ts'
import { credentialsOf, type Crowd } from '../crowd.ts'
import { alternate, ratios, type Bench, type Job, type Row, type Sample } from '../job.ts'
import { peakBytes } from '../process.ts'

const ONLINE = 100

export const growth: Job = {
  name: 'growth',
  about:
    'Time from accept to done by devices, to 10,000, 100,000 and 1,000,000 of them, all but 100 away; peak of memory.',
  run: async (bench) => {
    const small = bench.quick ? 300 : 10_000
    const [middle, large] = [small * 10, small * 100]
    // Several in a row where the audience is small: what is paid once a task or once a wait must not hide the rest.
    const timesFor = (size: number): number => Math.max(1, Math.round((large / size) * 0.3))
    const measure = async (size: number) => sendToAll(bench, await bench.population(size, ONLINE), size, timesFor(size))
    const samples = await alternate(bench, {
      small: () => measure(small),
      middle: () => measure(middle),
      large: () => measure(large),
    })
    const values = samples.large.map(({ seen }) => seen!['peak MB']!)
    return {
      measured: `microseconds a device, among ${small}, ${middle} and ${large} devices`,
      samples,
      rows: [
        grown('cost a device, ten times as many', ratios(samples.middle, samples.small)),
        grown('cost a device, a hundred times as many', ratios(samples.large, samples.small)),
        { what: 'peak of memory, 1,000,000 devices', unit: 'MB', better: 'less', firstBar: 512, goal: 256, values },
      ],
    }
  },
}

const grown = (what: string, values: number[]): Row => ({
  what, unit: '×', better: 'less', firstBar: 1.2, goal: 1.1, values,
})

const sendToAll = async (bench: Bench, crowd: Crowd, size: number, times: number): Promise<Sample> => {
  const { carillon, stop } = await startOnCopy(bench.scratch, crowd)
  const devices = bench.clients.devices(carillon.mqttPort, 'push', credentialsOf(crowd.members))
  await devices.connect(ONLINE)
  await carillon.online(crowd.members[ONLINE - 1]!)
  const send = async (count: number): Promise<number> => {
    const message = { title: 'Hello', body: 'to everybody' }
    const tasks: number[] = []
    for (let i = 0; i < count; i++) tasks.push(await carillon.notify({ audience: 'all', message }))
    for (;;) {
      const shown = await carillon.ok<{ task_id: number; accepted_at: number; finished_at: number | null }[]>(
        `/push/task/list?limit=${count}`, { token: carillon.admin },
      )
      const ours = shown.filter(({ task_id }) => tasks.includes(task_id))
      const ends = ours.map(({ finished_at }) => finished_at ?? Infinity)
      const end = Math.max(...ends)
      if (end < Infinity) return end - Math.min(...ours.map(({ accepted_at }) => accepted_at))
      await pause(20)
    }
  }
  await send(1)
  await loopDelayMs(carillon)
  const took = await send(times)
  const sample = {
    value: (took * 1_000) / (size * times),
    loopDelayMs: await loopDelayMs(carillon),
    seen: { 'peak MB': peakBytes(carillon.pid) / 2 ** 20, tasks: times, 'ms in all': took },
  }
  await devices.stop()
  await stop()
  return sample
}
