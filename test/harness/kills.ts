import type { TestContext } from 'node:test'
import { startCarillon } from './carillon.ts'
import { Chance } from './chance.ts'
import { survives } from './crash.ts'

/** Kills the only node again and again. */
export const survivesKills = async (
  t: TestContext,
  { kills, clients, devices }: { kills: number; clients: number; devices: number },
): Promise<void> => {
  // A short wait for acknowledgements, so that the sweeps for them run under the kills too.
  const carillon = await startCarillon(t, { CARILLON_ACK_SECONDS: '2', CARILLON_LOG_LEVEL: 'error' })
  const blow = {
    name: 'kill -9',
    strike: async (): Promise<void> => {
      await carillon.stop('SIGKILL')
      await carillon.start()
    },
    excuses: ({ code }: { code: unknown }) => typeof code === 'string',
  }
  const besieged = { doors: [carillon], gateways: [carillon], get log() { return carillon.log } }
  await survives(t, besieged, { blows: Array.from({ length: kills }, () => blow), clients, devices }, new Chance())
}
