import { parseArgs } from 'node:util'
import { bundle } from '../../scripts/bundle.ts'
import { Clients } from './clients.ts'
import { type Crowd, gather, grow } from './crowd.ts'
import type { Bench, Job } from './job.ts'
import { apns } from './jobs/apns.ts'
import { broadcast } from './jobs/broadcast.ts'
import { client } from './jobs/client.ts'
import { growth } from './jobs/growth.ts'
import { lists } from './jobs/lists.ts'
import { logins } from './jobs/logins.ts'
import { memory } from './jobs/memory.ts'
import { migrate } from './jobs/migrate.ts'
import { mixed } from './jobs/mixed.ts'
import { nodes } from './jobs/nodes.ts'
import { notify } from './jobs/notify.ts'
import { oneOfMany } from './jobs/one-of-many.ts'
import { start } from './jobs/start.ts'
import { vendors } from './jobs/vendors.ts'
import { othersBusy, thisMachine } from './machine.ts'
import { write, writePages } from './results.ts'
import { Scratch } from './scratch.ts'
import { summary } from './table.ts'
import { meetBenchNeeds } from './needs.ts'

/** npm run bench [-- job … --quick]: all jobs or those named; --quick shows that they run, and writes no results. */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false } },
})

const jobs: readonly Job[] = [
  notify, broadcast, memory, growth, oneOfMany, lists, start, logins, mixed, apns, vendors, nodes, migrate, client,
]

const unknown = positionals.filter((name) => !jobs.some((job) => job.name === name))
if (unknown.length > 0) {
  console.error(`there is no job ${unknown.join(', ')}; there are ${jobs.map(({ name }) => name).join(', ')}`)
  process.exit(2)
}
const unmet = meetBenchNeeds()
if (unmet !== undefined) {
  console.error(unmet)
  process.exit(1)
}

await bundle() // as after `npm ci`

const scratch = new Scratch()
process.once('exit', () => scratch.close())
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))

/** Makes something once for each key; the folders are gone with the scratch folder. */
const once = <A extends number[]>(make: (...key: A) => Promise<Crowd>) => {
  const made = new Map<string, Promise<Crowd>>()
  return (...key: A): Promise<Crowd> => {
    const name = key.join(' ')
    const crowd = made.get(name) ?? make(...key)
    made.set(name, crowd)
    return crowd
  }
}

const say = (text: string): void => console.log(text)
const crowd = once((size: number) => {
  say(`  preparing ${size} devices`)
  return gather(scratch, size)
})
const bench: Bench = {
  quick: values.quick,
  rounds: values.quick ? 1 : 3,
  scratch,
  clients: new Clients(scratch),
  crowd,
  population: once(async (size: number, known: number) => {
    const first = await crowd(known)
    say(`  importing ${size - known} devices`)
    return grow(scratch, first, size)
  }),
  say,
}

const MUCH = 0.1

for (const job of jobs.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
  say(`${job.name}: ${job.about}`)
  const busy = await othersBusy()
  if (busy > MUCH) say(`  others use ${Math.round(busy * 100)} % of this machine: what follows is worth little`)
  const found = await job.run(bench)
  say(summary(found))
  if (bench.quick) continue
  const date = new Date().toISOString().slice(0, 10)
  write({ job: job.name, about: job.about, date, machine: thisMachine(), othersBusy: busy, ...found })
  writePages(jobs)
}
