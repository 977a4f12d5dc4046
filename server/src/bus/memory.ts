import { EventEmitter } from 'node:events'
import { type Clock, systemClock } from '../clock.ts'
import type { Bus, Topic } from './bus.ts'

/** The bus of a single node. Listeners run after the nudging code has finished, as they would over a network. */
export const memoryBus = (clock: Clock = systemClock): Bus => {
  const emitter = new EventEmitter()
  emitter.setMaxListeners(0)
  const nudged = new Set<Topic>()
  const since = clock.now()
  let closed = false
  return {
    nudge(topic) {
      if (nudged.has(topic)) return
      nudged.add(topic)
      queueMicrotask(() => {
        nudged.delete(topic)
        emitter.emit(topic)
      })
    },
    on(topic, listener) {
      // Of its own, so that each registration ends by itself when one function is registered twice.
      const hear = (): void => listener()
      if (!closed) emitter.on(topic, hear)
      return () => void emitter.off(topic, hear)
    },
    state: () => ({ connected: true, since }),
    async close() {
      closed = true
      emitter.removeAllListeners()
    },
  }
}
