import { readFileSync } from 'node:fs'
import { cpuSeconds } from '../process.ts'

/** What a program that sends a bare list is handed: the content of the file that its one argument names. */
export interface HandedList {
  /** Of the simulator, and its certificate in PEM. */
  origin: string
  ca: string
  signingKey: string
  keyId: string
  teamId: string
  topic: string
  title: string
  body: string
  ext: Record<string, unknown>
  /** Sent before the clock runs: code is compiled and the connection trusted by then. */
  warmUp: string[]
  tokens: string[]
  /** The simulators' process. */
  simulators: number
}

/** What it prints. */
export interface ListSent {
  seconds: number
  /** Seconds of processor time: its own, and the simulators' meanwhile. */
  cpu: number
  simulatorsCpu: number
}

export const readHandedList = (): HandedList => JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as HandedList

/** Sends the list, prints what it took, and ends. */
export const sendHandedList = async (list: HandedList, send: (tokens: string[]) => Promise<void>): Promise<never> => {
  await send(list.warmUp.slice(0, 1))
  await send(list.warmUp.slice(1))
  const began = performance.now()
  const [cpuBefore, simulatorsBefore] = [cpuSeconds(process.pid), cpuSeconds(list.simulators)]
  await send(list.tokens)
  const sent: ListSent = {
    seconds: (performance.now() - began) / 1_000,
    cpu: cpuSeconds(process.pid) - cpuBefore,
    simulatorsCpu: cpuSeconds(list.simulators) - simulatorsBefore,
  }
  console.log(JSON.stringify(sent))
  process.exit()
}
