import { alternate, ratios, type Job } from '../job.ts'
import { notifyEach } from './notifying.ts'

const ONLINE = 100

export const oneOfMany: Job = {
  name: 'one-of-many',
  about: 'Notifications to one user, whose device is connected, among 1,000,000 devices; against the same among 1,000.',
  run: async (bench) => {
    const [few, many] = bench.quick ? [500, 5_000] : [1_000, 1_000_000]
    const each = bench.quick ? 5 : 200
    const measure = async (size: number) => {
      const crowd = await bench.population(size, ONLINE)
      const audienceOf = (place: number) => ({ user_id: [crowd.members[place]!.user_id] })
      return notifyEach(bench, crowd, { online: ONLINE, each, audienceOf })
    }
    const samples = await alternate(bench, { few: () => measure(few), many: () => measure(many) })
    const values = ratios(samples.few, samples.many) // time, not rate: so many times as long
    return {
      measured: `notifications a second, among ${few} and ${many} devices`,
      samples,
      rows: [{ what: 'notify to one of many', unit: '×', better: 'less', firstBar: 1.2, goal: 1.05, values }],
    }
  },
}
