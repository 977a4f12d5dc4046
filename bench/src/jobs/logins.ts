import { loopDelayMs, startOnCopy } from '../carillon.ts'
import { alternate, ratios, type Bench, type Job, type Sample } from '../job.ts'
import { rawArgon2 } from '../peers/peers.ts'
import { addUsers, hashThreads, logIn } from './logging-in.ts'

export const logins: Job = {
  name: 'logins',
  about: 'Logins with the right password, as many as are taken; against argon2id alone, with as many threads.',
  run: async (bench) => {
    const seconds = bench.quick ? 1 : 10
    const samples = await alternate(bench, {
      carillon: () => logInAll(bench, seconds),
      argon2id: async () => ({ value: await rawArgon2(bench.scratch, hashThreads, seconds) }),
    })
    const values = ratios(samples.carillon, samples.argon2id)
    return {
      measured: 'logins or hashes a second',
      samples,
      rows: [{ what: 'logins against raw argon2id', unit: '×', better: 'more', firstBar: 0.9, goal: 0.95, values }],
    }
  },
}

const logInAll = async (bench: Bench, seconds: number): Promise<Sample> => {
  const { carillon, stop } = await startOnCopy(bench.scratch, await bench.crowd(1))
  await addUsers(carillon)
  await logIn(bench.clients, carillon, 0.5)
  await loopDelayMs(carillon)
  const called = await logIn(bench.clients, carillon, seconds)
  const sample = {
    value: called.answered / called.seconds,
    clientCpu: called.cpu / called.seconds,
    loopDelayMs: await loopDelayMs(carillon),
  }
  await stop()
  return sample
}
