import { setTimeout as pause } from 'node:timers/promises'
import { loopDelayMs, startOnCopy } from '../carillon.ts'
import type { Devices } from '../clients.ts'
import { credentialsOf, type Crowd } from '../crowd.ts'
import { alternate, type Bench, type Job, type Sample } from '../job.ts'
import { startMosquitto, type Broker } from '../peers/mosquitto.ts'
import { startAedes } from '../peers/peers.ts'
import { residentBytes } from '../process.ts'

interface Extent {
  /** Connected before the first look, so that code, buffers and pools are there already. */
  first: number
  all: number
  /** How long nothing may change before a look counts: a collector of garbage comes when it is quiet. */
  stillMs: number
}

export const memory: Job = {
  name: 'memory',
  about:
    'Resident memory one more connected, idle device takes: from 1,000 devices to 10,000, each time after a rest.',
  run: async (bench) => {
    const extent = bench.quick
      ? { first: 50, all: 250, stillMs: 1_000 }
      : { first: 1_000, all: 10_000, stillMs: 10_000 }
    const crowd = await bench.crowd(extent.all)
    const samples = await alternate(bench, {
      carillon: () => weighOurs(bench, crowd, extent),
      mosquitto: async () => weighTheirs(bench, await startMosquitto(bench.scratch), extent),
      aedes: async () => weighTheirs(bench, await startAedes(bench.scratch), extent),
    })
    const values = samples.carillon.map(({ value }) => value)
    return {
      measured: 'KB a device',
      samples,
      rows: [{ what: 'memory a connected idle device', unit: 'KB', better: 'less', firstBar: 10, goal: 4, values }],
    }
  },
}

const weighOurs = async (bench: Bench, crowd: Crowd, extent: Extent): Promise<Sample> => {
  const { carillon, stop } = await startOnCopy(bench.scratch, crowd)
  const devices = bench.clients.devices(carillon.mqttPort, 'push', credentialsOf(crowd.members))
  await loopDelayMs(carillon)
  const value = await weigh(carillon.pid, devices, extent)
  const sample = { value, loopDelayMs: await loopDelayMs(carillon) }
  await devices.stop()
  await stop()
  return sample
}

const weighTheirs = async (bench: Bench, broker: Broker, extent: Extent): Promise<Sample> => {
  const devices = bench.clients.devices(broker.port, 'push')
  const value = await weigh(broker.pid, devices, extent)
  await devices.stop()
  await broker.stop()
  return { value }
}

const weigh = async (pid: number, devices: Devices, { first, all, stillMs }: Extent): Promise<number> => {
  await devices.connect(first)
  const before = await atRest(pid, stillMs)
  await devices.connect(all)
  return (await atRest(pid, stillMs) - before) / (all - first) / 1024
}

const LOOK_MS = 500
const REST_LIMIT_MS = 60_000
const STILL_BYTES = 256 * 1024

/** Resident memory once it has hardly moved for a while. */
const atRest = async (pid: number, stillMs: number): Promise<number> => {
  let last = residentBytes(pid)
  let movedAt = performance.now()
  const givesUpAt = movedAt + REST_LIMIT_MS
  while (performance.now() < Math.min(movedAt + stillMs, givesUpAt)) {
    await pause(LOOK_MS)
    const now = residentBytes(pid)
    if (Math.abs(now - last) < STILL_BYTES) continue
    last = now
    movedAt = performance.now()
  }
  return residentBytes(pid)
}
