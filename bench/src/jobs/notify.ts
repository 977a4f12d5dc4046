import { startBareHttp } from '../peers/peers.ts'
import { alternate, ratios, type Bench, type Job, type Sample } from '../job.ts'
import { bodyFor, callNotify, notifyEach } from './notifying.ts'

export const notify: Job = {
  name: 'notify',
  about:
    'Notifications to one connected device at a time: stored, delivered, acknowledged, counted; against bare node:http.',
  run: async (bench) => {
    const online = bench.quick ? 50 : 300
    const each = bench.quick ? 10 : 134
    const crowd = await bench.crowd(online)
    const audienceOf = (place: number) => ({ push_token: [crowd.members[place]!.push_token] })
    const samples = await alternate(bench, {
      carillon: () => notifyEach(bench, crowd, { online, each, audienceOf }),
      'node:http': () => callBare(bench, crowd.members.map((_, place) => bodyFor(audienceOf(place))), online * each),
    })
    return {
      measured: 'notifications a second',
      samples,
      rows: [
        {
          what: 'notify against bare node:http', unit: '×', better: 'more', firstBar: 0.3, goal: 0.55,
          values: ratios(samples.carillon, samples['node:http']),
        },
      ],
    }
  },
}

const callBare = async ({ scratch, clients }: Bench, bodies: string[], requests: number): Promise<Sample> => {
  const server = await startBareHttp(scratch)
  const address = { port: server.port, admin: 'x'.repeat(46) } // as long as a real one
  const call = (count: number) => callNotify(clients, address, bodies, { requests: count })
  await call(requests)
  const called = await call(requests)
  await server.stop()
  return {
    value: called.answered / called.seconds,
    clientCpu: called.cpu / called.seconds,
    seen: { 'p50 ms': called.p50, 'p99 ms': called.p99 },
  }
}
