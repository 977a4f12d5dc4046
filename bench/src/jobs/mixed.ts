import { loopDelayMs, startOnCopy, type Started } from '../carillon.ts'
import type { Devices } from '../clients.ts'
import { credentialsOf, type Crowd } from '../crowd.ts'
import { alternate, ratios, type Bench, type Job, type Sample } from '../job.ts'
import { addUsers, logIn } from './logging-in.ts'
import { bodyFor, CONNECTIONS, headersOf } from './notifying.ts'

const ONLINE = 200
const RATE = 500

export const mixed: Job = {
  name: 'mixed',
  about: 'p99 of notify at 500 a second, due at fixed times and timed from when they were due, while logins flood, against the same without.',
  run: async (bench) => {
    const seconds = bench.quick ? 2 : 20
    const crowd = await bench.crowd(ONLINE)
    const samples = await alternate(bench, {
      quiet: () => notifySteadily(bench, crowd, seconds, false),
      flooded: () => notifySteadily(bench, crowd, seconds, true),
    })
    return {
      measured: 'p99 of notify in milliseconds',
      samples,
      rows: [{ what: 'p99 of notify under a flood of logins', unit: '×', better: 'less', firstBar: 3, goal: 2, values: ratios(samples.flooded, samples.quiet) }],
    }
  },
}

const notifySteadily = async (bench: Bench, crowd: Crowd, seconds: number, flooded: boolean): Promise<Sample> => {
  const started = await startOnCopy(bench.scratch, crowd)
  const { carillon } = started
  const devices = bench.clients.devices(carillon.mqttPort, 'push', credentialsOf(crowd.members))
  await devices.connect(ONLINE)
  await carillon.online(crowd.members[ONLINE - 1]!)
  await addUsers(carillon)
  await callAtRate(bench, started, crowd, 1)
  await loopDelayMs(carillon)
  // The flood begins before and ends after what is measured.
  const flood = flooded ? logIn(bench.clients, carillon, seconds + 1) : undefined
  const called = await callAtRate(bench, started, crowd, seconds, devices)
  const loggedIn = await flood
  const sample = {
    value: called.p99,
    clientCpu: called.cpu / called.seconds,
    loopDelayMs: await loopDelayMs(carillon),
    seen: { 'p50 ms': called.p50, 'p99.9 ms': called.p999, ...(loggedIn && { 'logins a second': loggedIn.answered / loggedIn.seconds }) },
  }
  await devices.stop()
  await started.stop()
  return sample
}

/** With `devices`, until they have all of it. */
const callAtRate = async (bench: Bench, { carillon }: Started, { members }: Crowd, seconds: number, devices?: Devices) => {
  const bodies = members.map(({ push_token }) => bodyFor({ push_token: [push_token] }))
  const all = devices?.expect(RATE * seconds)
  const called = await bench.clients.call({
    port: carillon.port, connections: CONNECTIONS, path: '/push/notify', headers: headersOf(carillon), bodies, for: { rate: RATE, seconds },
  })
  await all
  return called
}
