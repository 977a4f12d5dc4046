import { useSyncExternalStore } from 'react'

const TICK_MS = 5_000

const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

/** One clock for all the page's "3 minutes ago": it runs while anybody looks at it. */
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  now = Date.now()
  timer ??= setInterval(() => {
    now = Date.now()
    for (const each of listeners) each()
  }, TICK_MS)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The time, every few seconds. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => now)
