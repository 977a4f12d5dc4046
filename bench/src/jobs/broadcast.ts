import { setTimeout as pause } from 'node:timers/promises'
import { type Started, loopDelayMs, startOnCopy } from '../carillon.ts'
import type { Crowd } from '../crowd.ts'
import { connectAll } from '../fleet.ts'
import { alternate, ratios, type Bench, type Job, type Row, type Sample } from '../job.ts'
import { startMosquitto, type Broker } from '../peers/mosquitto.ts'
import { startAedes } from '../peers/peers.ts'
import { areCounted } from './notifying.ts'

// The payload of a push made of this is some 300 bytes long, as long as what the brokers carry.
const BYTES = 300
const setting = { distribution_strategy: 'nativepush_only' }
const message = { title: 'The shop opens at nine', body: 'x'.repeat(135), ext: { page: 'opening', shop: 12 } }

/** `devices` connected, `broadcasts` in a row. */
interface Extent {
  devices: number
  broadcasts: number
}

export const broadcast: Job = {
  name: 'broadcast',
  about:
    'One message to all connected devices, ten in a row, QoS 1: acknowledged, and with Carillon stored and counted.',
  run: async (bench) => {
    const extent = bench.quick ? { devices: 200, broadcasts: 3 } : { devices: 10_000, broadcasts: 10 }
    const crowd = await bench.crowd(extent.devices)
    const samples = await alternate(bench, {
      carillon: () => broadcastOurs(bench, crowd, extent),
      mosquitto: async () => broadcastTheirs(bench, await startMosquitto(bench.scratch), extent),
      aedes: async () => broadcastTheirs(bench, await startAedes(bench.scratch), extent),
    })
    const against = (peer: 'mosquitto' | 'aedes', firstBar: number, goal: number): Row => ({
      what: `broadcast against ${peer}`, unit: '×', better: 'more', firstBar, goal,
      values: ratios(samples.carillon, samples[peer]),
    })
    return {
      measured: 'acknowledged deliveries a second',
      samples,
      rows: [against('mosquitto', 0.5, 1), against('aedes', 1.8, 3)],
    }
  },
}

export const broadcastOurs = async (
  bench: Bench,
  crowd: Crowd,
  { devices: count, broadcasts }: Extent,
  start: () => Promise<Started> = () => startOnCopy(bench.scratch, crowd),
): Promise<Sample> => {
  const { carillon, stop } = await start()
  const devices = await connectAll(bench, carillon, crowd.members.slice(0, count))
  const send = async (times: number) => {
    const got = devices.expect(times)
    const notify = () => carillon.notify({ audience: 'all', setting, message })
    const tasks = await Promise.all(Array.from({ length: times }, notify))
    const told = await got
    while (!(await areCounted(carillon, tasks, count))) await pause(5)
    return told
  }
  await send(1)
  await loopDelayMs(carillon)
  const began = performance.now()
  const told = await send(broadcasts)
  const seconds = (performance.now() - began) / 1_000
  const sample = {
    value: (count * broadcasts) / seconds,
    clientCpu: told.cpu / told.seconds,
    loopDelayMs: await loopDelayMs(carillon),
    seen: { 'counted after s': seconds - told.seconds, repeated: told.repeated },
  }
  await devices.stop()
  await stop()
  return sample
}

/** The same on a broker: one publisher, one topic that all subscribe to. */
export const broadcastTheirs = async (
  bench: Pick<Bench, 'clients'>,
  broker: Broker,
  { devices: count, broadcasts }: Extent,
): Promise<Sample> => {
  const devices = bench.clients.devices(broker.port, 'push')
  await devices.connect(count)
  const send = async (times: number) => {
    const got = devices.expect(count * times)
    devices.publish('push', times, BYTES)
    return got
  }
  await send(1)
  const began = performance.now()
  const told = await send(broadcasts)
  const seconds = (performance.now() - began) / 1_000
  await devices.stop()
  await broker.stop()
  return { value: (count * broadcasts) / seconds, clientCpu: told.cpu / told.seconds }
}
