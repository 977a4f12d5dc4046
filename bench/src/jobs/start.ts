import { loopDelayMs, startOn } from '../carillon.ts'
import { alternate, type Bench, type Job, type Sample } from '../job.ts'

export const start: Job = {
  name: 'start',
  about: 'From the command to `carillon ready` with 1,000,000 devices, started before; beside it with 100, and for the first time.',
  run: async (bench) => {
    const size = bench.quick ? 5_000 : 1_000_000
    const full = await bench.population(size, 100)
    const small = await bench.crowd(100)
    const samples = await alternate(bench, {
      few: () => startOnce(bench, small.data),
      many: () => startOnce(bench, full.data),
      'nothing compiled yet': () => startOnce(bench, full.data, { NODE_DISABLE_COMPILE_CACHE: '1' }),
    })
    const values = samples.many.map(({ value }) => value)
    return {
      measured: `seconds, with 100 and ${size} devices`,
      samples,
      rows: [{ what: 'start on 1,000,000 devices', unit: 's', better: 'less', firstBar: 1, goal: 0.5, values }],
    }
  },
}

/**
 * On the prepared folder itself: a start and a stop leave in it what they found. What an earlier start compiled is used
 * again, as on any machine where the server was started before.
 */
const startOnce = async ({ scratch }: Pick<Bench, 'scratch'>, data: string, env: NodeJS.ProcessEnv = {}): Promise<Sample> => {
  const began = performance.now()
  const { carillon, stop } = await startOn(scratch, data, env)
  const value = (performance.now() - began) / 1_000
  const sample = { value, loopDelayMs: await loopDelayMs(carillon) }
  await stop()
  return sample
}
