import { monitorEventLoopDelay } from 'node:perf_hooks'
import { cpuSeconds, eventLoopDelay, heapBytes, residentBytes, startedAt } from './metrics.ts'

const RESOLUTION_MS = 20
const quantiles = { '0.5': 50, '0.99': 99, '0.999': 99.9 }

/** Measures the process itself from now on; returns how to stop that. */
export const watchProcess = (): (() => void) => {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  // What is recorded is the time between two ticks of a timer: an event loop that is never late shows its interval.
  const late = (quantile: number): number => Math.max(0, delay.percentile(quantile) / 1e9 - RESOLUTION_MS / 1_000)
  eventLoopDelay.read = () => {
    const now = Object.fromEntries(Object.entries(quantiles).map(([name, quantile]) => [name, late(quantile)]))
    delay.reset()
    return now
  }
  heapBytes.read = () => process.memoryUsage().heapUsed
  residentBytes.read = () => process.memoryUsage.rss()
  cpuSeconds.read = () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  }
  startedAt.read = () => performance.timeOrigin / 1_000
  return () => delay.disable()
}
