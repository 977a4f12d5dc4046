import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { BcryptQuestion } from './bcrypt-thread.ts'

// 2^15 rounds take seconds of a core in plain JavaScript; beyond them a single login would take the machine.
const COST_MAX = 15
const COST_MIN = 4

/** bcrypt looks at no more of a password than this. */
export const BCRYPT_BYTES = 72

const form = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/

/** Whether this is a bcrypt hash that we can and want to compute. */
export const isBcrypt = (text: string): boolean => {
  const cost = Number(form.exec(text)?.[1])
  return cost >= COST_MIN && cost <= COST_MAX
}

/** Whether a password opens a bcrypt hash, asked one at a time: on a thread of its own, so that the event loop goes on. */
export class Bcrypt {
  readonly #idle: Worker[] = []

  /** As many threads are kept as questions were ever asked at once; who asks bounds that. */
  async matches(question: BcryptQuestion): Promise<boolean> {
    const thread = this.#idle.pop() ?? new Worker(new URL('./bcrypt-thread.ts', import.meta.url))
    thread.ref()
    const answered = once(thread, 'message') // rejects when the thread fails: it is gone then, and not kept
    thread.postMessage(question)
    const [matches] = (await answered) as [boolean]
    thread.unref() // an idle one keeps no program running
    this.#idle.push(thread)
    return matches
  }
}
