import { type Carillon, startCarillon } from './carillon.ts'

const clock = new URL('./clock.ts', import.meta.url).href

/** An installation whose clocks stand still, at the same time, until `pass` moves them. */
export const startWithStillClock = async (
  t: { after(work: () => unknown): void },
  stepMs: number,
  env: NodeJS.ProcessEnv = {},
): Promise<{ carillon: Carillon; pass(steps?: number): Promise<void> }> => {
  let now = Date.now()
  const times = { CLOCK_START_MS: String(now), CLOCK_STEP_MS: String(stepMs) }
  const carillon = await startCarillon(t, { NODE_OPTIONS: `--import=${clock}`, ...times, ...env })
  const pass = async (steps = 1): Promise<void> => {
    for (let step = 0; step < steps; step++) {
      now += stepMs
      carillon.signal('SIGUSR2')
      await carillon.until(async () => carillon.nodes, (nodes) => nodes.every(({ log }) => log.includes(`the clock stands at ${now}\n`)))
    }
  }
  return { carillon, pass }
}
