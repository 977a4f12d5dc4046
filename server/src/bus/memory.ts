import { EventEmitter } from 'node:events'
import type { Bus, Topic } from './bus.ts'

/** The bus of a single node. Listeners run after the nudging code has finished, as they would over a network. */
export const memoryBus = (): Bus => {
  const emitter = new EventEmitter()
  emitter.setMaxListeners(0)
  const nudged = new Set<Topic>()
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
      emitter.on(topic, listener)
      return () => emitter.off(topic, listener)
    },
    async close() {
      emitter.removeAllListeners()
    },
  }
}
