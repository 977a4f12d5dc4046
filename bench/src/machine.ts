import { cpus, release, totalmem } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'

/** What the numbers were measured on; nothing that names the machine. */
export interface Machine {
  cores: number
  processor: string
  memoryGb: number
  kernel: string
  node: string
}

export const thisMachine = (): Machine => ({
  cores: cpus().length,
  processor: cpus()[0]?.model ?? 'unknown',
  memoryGb: Math.round(totalmem() / 2 ** 30),
  kernel: `Linux ${/^\d+\.\d+/.exec(release())?.[0] ?? release()}`,
  node: process.version,
})

const LOOK_MS = 1_000

/** How much of the machine others use, 0 to 1, while nothing of ours runs. */
export const othersBusy = async (): Promise<number> => {
  const before = ticks()
  await pause(LOOK_MS)
  const after = ticks()
  return 1 - (after.idle - before.idle) / (after.all - before.all)
}

const ticks = (): { idle: number; all: number } => {
  const times = cpus().map((cpu) => cpu.times)
  const sum = (values: number[]): number => values.reduce((all, value) => all + value, 0)
  return { idle: sum(times.map(({ idle }) => idle)), all: sum(times.flatMap((time) => Object.values(time))) }
}
