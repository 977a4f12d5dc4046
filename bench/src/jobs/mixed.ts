import { loopDelayMs, startOnCopy } from '../carillon.ts'
import { credentialsOf, type Crowd } from '../crowd.ts'
import { alternate, ratios, type Bench, type Job, type Sample } from '../job.ts'
import { addUsers, logIn } from './logging-in.ts'
import { bodyFor, callNotify } from './notifying.ts'

const ONLINE = 200
const RATE = 500

export const mixed: Job = {
  name: 'mixed',
  about: 'p99 of notify at 500 a second, from when each was due, while logins flood; against the same without.',
  run: async (bench) => {
    const seconds = bench.quick ? 2 : 20
    const crowd = await bench.crowd(ONLINE)
    const samples = await alternate(bench, {
      quiet: () => notifySteadily(bench, crowd, seconds, false),
      flooded: () => notifySteadily(bench, crowd, seconds, true),
    })
    const values = ratios(samples.flooded, samples.quiet)
    return {
      measured: 'p99 of notify in milliseconds',
      samples,
      rows: [{ what: 'p99 of notify while logins flood', unit: '×', better: 'less', firstBar: 3, goal: 2, values }],
    }
  },
}

const notifySteadily = async (bench: Bench, crowd: Crowd, seconds: number, flooded: boolean): Promise<Sample> => {
  const { carillon, stop } = await startOnCopy(bench.scratch, crowd)
  const devices = bench.clients.devices(carillon.mqttPort, 'push', credentialsOf(crowd.members))
  await devices.connect(ONLINE)
  await carillon.online(crowd.members[ONLINE - 1]!)
  await addUsers(carillon)
  const bodies = crowd.members.map(({ push_token }) => bodyFor({ push_token: [push_token] }))
  const notifyFor = (extent: number) => callNotify(bench.clients, carillon, bodies, { rate: RATE, seconds: extent })
  await notifyFor(1)
  await loopDelayMs(carillon)
  // The flood begins before and ends after what is measured.
  const flood = flooded ? logIn(bench.clients, carillon, seconds + 1) : undefined
  const called = await notifyFor(seconds)
  const loggedIn = await flood
  const sample = {
    value: called.p99,
    clientCpu: called.cpu / called.seconds,
    loopDelayMs: await loopDelayMs(carillon),
    seen: {
      'p50 ms': called.p50,
      'p99.9 ms': called.p999,
      ...(loggedIn && { 'logins a second': loggedIn.answered / loggedIn.seconds }),
    },
  }
  await devices.stop()
  await stop()
  return sample
}
