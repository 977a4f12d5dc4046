import { cpus, release, totalmem } from 'node:os'

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
