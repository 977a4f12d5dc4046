import { Carillon } from '../../test/harness/carillon.ts'
import type { Scratch } from './scratch.ts'

/** A started server on a data folder of its own, which goes with it. */
export interface Started {
  carillon: Carillon
  stop(): Promise<void>
}

// All devices come from one address, and all at once.
const settings = { CARILLON_GREETINGS_PER_ADDRESS: '20000', CARILLON_ADDRESS_FAILURES: '1000000' }

/** Starts the server as a user starts it, on a folder that the caller keeps. */
export const startOn = async (scratch: Scratch, data: string, env: NodeJS.ProcessEnv = {}): Promise<Started> => {
  const carillon = new Carillon(data, { ...settings, ...env })
  const closing = scratch.onClose(() => carillon.stop('SIGKILL'))
  const stop = async (): Promise<void> => {
    await carillon.stop()
    closing.drop()
  }
  await carillon.start()
  return { carillon, stop }
}

/** The same on a copy of a prepared folder, removed when the server stops. */
export const startOnCopy = async (
  scratch: Scratch,
  from: { data: string; admin: string },
  env: NodeJS.ProcessEnv = {},
): Promise<Started> => {
  const data = scratch.copyOf(from.data)
  const { carillon, stop } = await startOn(scratch, data, env)
  carillon.admin = from.admin
  return {
    carillon,
    stop: async () => {
      await stop()
      scratch.remove(data)
    },
  }
}

/** How late the event loop was since the last look, p99.9 in milliseconds; every look begins anew. */
export const loopDelayMs = async (carillon: Carillon): Promise<number> => {
  const metrics = await (await fetch(`${carillon.http}/metrics`)).text()
  const line = /^carillon_event_loop_delay_seconds\{quantile="0\.999"\} (\S+)$/m.exec(metrics)
  if (!line) throw new Error('the metrics say nothing of the event loop')
  return Number(line[1]) * 1_000
}
