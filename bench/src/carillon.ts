import type { Api } from '../../test/harness/api.ts'
import { Carillon } from '../../test/harness/carillon.ts'
import type { Node } from '../../test/harness/node.ts'
import type { Scratch } from './scratch.ts'

/** One node, or several on one store that all do everything. */
export type Served = Api & { readonly nodes: readonly Node[] }

/** An installation that runs until it is stopped. */
export interface Started<C extends Served = Served> {
  carillon: C
  stop(): Promise<void>
}

// All devices come from one address, and all at once.
export const settings = { CARILLON_GREETINGS_PER_ADDRESS: '20000', CARILLON_ADDRESS_FAILURES: '1000000' }

/** Starts the server as a user starts it, on a folder that the caller keeps. */
export const startOn = async (scratch: Scratch, data: string, env: NodeJS.ProcessEnv = {}): Promise<Started<Carillon>> => {
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
): Promise<Started<Carillon>> => {
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

/** How late the event loop was since the last look, p99.9 in milliseconds, on the worst node; every look begins anew. */
export const loopDelayMs = async ({ nodes }: Served): Promise<number> => {
  const delays = await Promise.all(
    nodes.map(async (node) => (await node.metrics()).get('carillon_event_loop_delay_seconds{quantile="0.999"}')),
  )
  const worst = Math.max(...delays.map((delay) => delay ?? NaN))
  if (Number.isNaN(worst)) throw new Error('the metrics say nothing of the event loop')
  return worst * 1_000
}
