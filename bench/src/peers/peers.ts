import { fileURLToPath } from 'node:url'
import type { Clients } from '../clients.ts'
import { type Took, startProcess } from '../process.ts'
import type { Scratch } from '../scratch.ts'
import type { HandedList } from './handed-list.ts'
import type { Broker } from './mosquitto.ts'

const startNode = async (scratch: Scratch, file: string): Promise<Broker> => {
  const running = await startProcess(scratch, process.execPath, [fileURLToPath(new URL(file, import.meta.url))])
  return { ...running, port: Number(running.said) }
}

export const startAedes = (scratch: Scratch): Promise<Broker> => startNode(scratch, './aedes.ts')

export const startBareHttp = (scratch: Scratch): Promise<Broker> => startNode(scratch, './bare-http.ts')

/** Hashes a second, so many at once. */
export const rawArgon2 = async (scratch: Scratch, threads: number, seconds: number): Promise<number> => {
  const program = fileURLToPath(new URL('./raw-argon2.ts', import.meta.url))
  const running = await startProcess(scratch, process.execPath, [program, String(threads), String(seconds)])
  await running.stop()
  return Number(running.said)
}

/** Sends a bare list of device tokens; resolves to what it took. */
export const sendHandedListWith = async (
  scratch: Scratch,
  peer: 'node-apn' | 'bare-http2',
  list: HandedList,
): Promise<Took> => {
  const program = fileURLToPath(new URL(`./${peer}.ts`, import.meta.url))
  const running = await startProcess(scratch, process.execPath, [program, scratch.file(JSON.stringify(list))])
  await running.stop()
  return JSON.parse(running.said) as Took
}

/** The server that does nothing, in C: what the clients themselves can do. */
export const startTrivial = async (scratch: Scratch, clients: Clients, kind: 'mqtt' | 'http'): Promise<Broker> => {
  const running = await startProcess(scratch, clients.program('trivial'), [kind])
  return { ...running, port: Number(running.said) }
}
