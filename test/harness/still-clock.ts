import { type Carillon, startCarillon } from './carillon.ts'

const clock = new URL('./clock.ts', import.meta.url).href

/** A server whose clock stands still until `pass` moves it. */
export const startWithStillClock = async (
  t: { after(work: () => unknown): void },
  stepMs: number,
  env: NodeJS.ProcessEnv = {},
): Promise<{ carillon: Carillon; pass(steps?: number): Promise<void> }> => {
  const carillon = await startCarillon(t, { NODE_OPTIONS: `--import=${clock}`, CLOCK_STEP_MS: String(stepMs), ...env })
  const watcher = await carillon.addUser('watcher of the clock')
  const now = async (): Promise<number> => (await carillon.tokenFor(watcher)).expire
  const pass = async (steps = 1): Promise<void> => {
    for (let step = 0; step < steps; step++) {
      const before = await now()
      process.kill(carillon.pid, 'SIGUSR2')
      await carillon.until(now, (at) => at > before)
    }
  }
  return { carillon, pass }
}
