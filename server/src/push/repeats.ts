import { notifications } from '../metrics.ts'

/**
 * Calls with the same request_id that are under way on this node. Copies wait for the first one's answer, whatever it is,
 * instead of for its rows: a client that repeats itself a hundred times costs one transaction.
 */
export class Repeats {
  readonly #underWay = new Map<string, Promise<number>>()

  accept(key: string, accept: () => Promise<number>): Promise<number> {
    const first = this.#underWay.get(key)
    if (first) {
      notifications.repeated.value += 1
      return first
    }
    const accepting = accept().finally(() => this.#underWay.delete(key))
    this.#underWay.set(key, accepting)
    return accepting
  }
}
