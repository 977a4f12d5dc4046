import { delimiter } from 'node:path'
import { meetNeeds } from '../../scripts/needs.ts'
import { natsNeed } from '../../scripts/throwaway-nats.ts'
import { postgresNeed } from '../../scripts/throwaway-postgres.ts'

/** What the bench compiles, pins and measures against; one sentence on what stands in the way, if anything does. */
export const meetBenchNeeds = (): string | undefined => {
  process.env.PATH = [process.env.PATH, '/usr/sbin'].join(delimiter) // where Debian keeps daemons
  return meetNeeds('the benches', [
    { command: 'gcc', debian: 'gcc libc6-dev' },
    { command: 'mosquitto', debian: 'mosquitto' },
    { command: 'taskset', debian: 'util-linux' },
    postgresNeed,
    natsNeed,
  ])
}
