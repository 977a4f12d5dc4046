import { alternate, type Bench, type Job, type Sample } from '../job.ts'
import { startTrivial } from '../peers/peers.ts'
import { broadcastTheirs } from './broadcast.ts'
import { bodyFor, callNotify } from './notifying.ts'

export const client: Job = {
  name: 'client',
  about: 'What the measuring clients can do, on servers in C that do nothing: all other numbers must stay well below.',
  run: async (bench) => {
    const extent = bench.quick ? { devices: 200, broadcasts: 3 } : { devices: 10_000, broadcasts: 10 }
    const samples = await alternate(bench, {
      devices: async () => broadcastTheirs(bench, await startTrivial(bench.scratch, bench.clients, 'mqtt'), extent),
      calls: () => callTrivial(bench),
    })
    return { measured: 'acknowledged deliveries, and calls, a second', samples, rows: [] }
  },
}

const callTrivial = async ({ scratch, clients, quick }: Bench): Promise<Sample> => {
  const server = await startTrivial(scratch, clients, 'http')
  const bodies = [bodyFor({ push_token: ['x'.repeat(46)] })]
  const requests = quick ? 2_000 : 100_000
  const called = await callNotify(clients, { port: server.port, admin: 'none' }, bodies, { requests })
  await server.stop()
  return { value: called.answered / called.seconds, clientCpu: called.cpu / called.seconds }
}
