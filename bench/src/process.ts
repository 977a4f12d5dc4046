import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { createInterface } from 'node:readline'
import type { Scratch } from './scratch.ts'

/**
 * Servers may use every core; measuring clients stay on the last one. So a server's event loop finds a core of its own,
 * and what a server does on other threads (ours writes its store there) it takes from the client, not from a peer.
 */
const clientCore = String(availableParallelism() - 1)

export const asClient = (command: string, args: string[]): [string, string[]] => [
  'taskset',
  ['-c', clientCore, command, ...args],
]

/** A peer that runs until it is stopped. */
export interface Running {
  pid: number
  /** What its first line said. */
  said: string
  stop(): Promise<void>
}

/** Starts a program; resolves with its first line, or, whatever it prints, once `isUp` says so. */
export const startProcess = async (
  scratch: Scratch,
  command: string,
  args: string[],
  isUp?: () => Promise<boolean>,
): Promise<Running> => {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const closing = scratch.onClose(() => child.kill('SIGKILL'))
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  child.once('error', reject)
  // Not `exit`: what it printed last may still be on its way.
  child.once('close', (code, signal) => reject(new Error(`${command} ended (${code ?? signal}): ${errors}`)))
  const output = createInterface({ input: child.stdout })
  if (!isUp) output.once('line', resolve)
  else {
    const ask = async (): Promise<void> => {
      while (child.exitCode === null && !(await isUp())) await new Promise((again) => setTimeout(again, 20))
      resolve('')
    }
    ask().catch(reject)
  }
  const said = await promise
  return {
    pid: child.pid!,
    said,
    stop: async () => {
      await ended(child)
      closing.drop()
    },
  }
}

const ended = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), 5_000)
  await exit
  clearTimeout(late)
}

const fromStatus = (pid: number, field: string): number => {
  const line = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  if (!line) throw new Error(`no ${field} of process ${pid}`)
  return Number(line[1]) * 1024
}

export const residentBytes = (pid: number): number => fromStatus(pid, 'VmRSS')

/** The most it ever had. */
export const peakBytes = (pid: number): number => fromStatus(pid, 'VmHWM')

const TICKS_A_SECOND = 100 // what Linux counts processor time in, wherever Node runs

/** Processor time it has used so far, all threads together. */
export const cpuSeconds = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name, in parentheses, may hold anything; the times stand 12 and 13 fields after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND
}

/** What some work took. */
export interface Took {
  seconds: number
  /** Seconds of processor time: of the process that did it, and of the simulators' meanwhile. */
  cpu: number
  simulatorsCpu: number
}

export const timed = async (pid: number, simulators: number, work: () => Promise<void>): Promise<Took> => {
  const [cpuBefore, simulatorsBefore] = [cpuSeconds(pid), cpuSeconds(simulators)]
  const began = performance.now()
  await work()
  return {
    seconds: (performance.now() - began) / 1_000,
    cpu: cpuSeconds(pid) - cpuBefore,
    simulatorsCpu: cpuSeconds(simulators) - simulatorsBefore,
  }
}
