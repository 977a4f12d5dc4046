import { startOnCopy, type Started } from '../carillon.ts'
import { alternate, ratios, type Job } from '../job.ts'
import { Shared } from '../nodes.ts'
import { broadcastOurs } from './broadcast.ts'
import { notifyEach } from './notifying.ts'

const NODES = 3

export const nodes: Job = {
  name: 'nodes',
  about:
    'notify and broadcast on one node with SQLite, on one with PostgreSQL, and on three, all on this machine together with PostgreSQL and NATS.',
  run: (bench) =>
    Shared.with(bench.scratch, async (shared) => {
      const extent = bench.quick ? { devices: 201, broadcasts: 3 } : { devices: 9_999, broadcasts: 10 }
      const [online, each] = bench.quick ? [51, 10] : [300, 67]
      const crowd = await bench.crowd(extent.devices)
      bench.say('  moving them to PostgreSQL')
      const moved = await shared.moved(crowd)
      const audienceOf = (place: number) => ({ push_token: [crowd.members[place]!.push_token] })
      const notify = (start: () => Promise<Started>) => () => notifyEach(bench, crowd, { online, each, audienceOf }, start)
      const broadcast = (start: () => Promise<Started>) => () => broadcastOurs(bench, crowd, extent, start)
      const onSqlite = () => startOnCopy(bench.scratch, crowd)
      const onOne = () => shared.start(moved, 1)
      const onThree = () => shared.start(moved, NODES)
      const samples = await alternate(bench, {
        'notify, SQLite': notify(onSqlite),
        'notify, PostgreSQL': notify(onOne),
        'notify, three nodes': notify(onThree),
        'broadcast, SQLite': broadcast(onSqlite),
        'broadcast, PostgreSQL': broadcast(onOne),
        'broadcast, three nodes': broadcast(onThree),
      })
      const against = (what: string, ours: keyof typeof samples, theirs: keyof typeof samples) =>
        ({ what, unit: '×', better: 'more', values: ratios(samples[ours], samples[theirs]) }) as const
      return {
        measured: 'notifications, or acknowledged deliveries, a second',
        samples,
        rows: [
          against('notify, PostgreSQL against SQLite', 'notify, PostgreSQL', 'notify, SQLite'),
          against('notify, three nodes against one', 'notify, three nodes', 'notify, PostgreSQL'),
          against('broadcast, PostgreSQL against SQLite', 'broadcast, PostgreSQL', 'broadcast, SQLite'),
          against('broadcast, three nodes against one', 'broadcast, three nodes', 'broadcast, PostgreSQL'),
        ],
      }
    }),
}
