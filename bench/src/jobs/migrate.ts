import { run } from '../../../test/harness/command.ts'
import { alternate, type Job } from '../job.ts'
import { Shared } from '../nodes.ts'

export const migrate: Job = {
  name: 'migrate',
  about: '`carillon migrate --to postgres://…` of 1,000,000 devices and their users into an empty database, compared at the end.',
  run: (bench) =>
    Shared.with(bench.scratch, async (shared) => {
      const size = bench.quick ? 5_000 : 1_000_000
      const { data } = await bench.population(size, 100)
      const moveAll = async () => {
        const [copy, database] = [bench.scratch.copyOf(data), await shared.emptyDatabase()]
        const began = performance.now()
        await run(['migrate', '--to', database], { env: { CARILLON_DATA: copy } })
        const value = (performance.now() - began) / 1_000
        await shared.drop(database)
        bench.scratch.remove(copy)
        return { value, seen: { 'devices a second': size / value } }
      }
      const samples = await alternate(bench, { carillon: moveAll })
      const values = samples.carillon.map(({ value }) => value)
      return {
        measured: `seconds for ${size} devices`,
        samples,
        rows: [{ what: 'migrate of 1,000,000 devices', unit: 's', better: 'less', values }],
      }
    }),
}
