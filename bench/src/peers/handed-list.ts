import { readFileSync } from 'node:fs'
import { timed } from '../process.ts'
import type { ApnsAccess } from './apns-access.ts'

/** What a program that sends a bare list is handed: the content of the file that its one argument names. */
export interface HandedList extends ApnsAccess {
  title: string
  body: string
  ext: Record<string, unknown>
  /** Sent before the clock runs: code is compiled and the connection trusted by then. */
  warmUp: string[]
  tokens: string[]
  /** The simulators' process. */
  simulators: number
}

export const readHandedList = (): HandedList => JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as HandedList

/** Sends the list, prints what it took, and ends. */
export const sendHandedList = async (list: HandedList, send: (tokens: string[]) => Promise<void>): Promise<never> => {
  await send(list.warmUp.slice(0, 1))
  await send(list.warmUp.slice(1))
  console.log(JSON.stringify(await timed(process.pid, list.simulators, () => send(list.tokens))))
  process.exit()
}
