/**
 * Which tasks were handled already. A push may come again after a lost connection, and over a vendor as well; whoever
 * shares one of these between both roads handles each task once.
 */
export interface Seen {
  has(taskId: number): boolean | Promise<boolean>
  /** Called when a push is handled, before it is acknowledged. */
  add(taskId: number): void | Promise<void>
}

/** More than can be under way: an inbox holds 1,000 unless the app's setting says otherwise. */
const LIMIT = 2_000

/** Remembers the newest ones for as long as the program runs. */
export const seenInMemory = (limit = LIMIT): Seen => {
  const ids = new Set<number>()
  return {
    has: (taskId) => ids.has(taskId),
    add(taskId) {
      ids.add(taskId)
      if (ids.size > limit) ids.delete(ids.values().next().value!)
    },
  }
}

/** The part of `localStorage` that is needed. */
export interface TextStorage {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
}

/** Remembers the newest ones in `localStorage` or the like, also over a restart. Give every device a key of its own. */
export const seenInStorage = (storage: TextStorage, key: string, limit = LIMIT): Seen => {
  const read = (): number[] => {
    try {
      const ids: unknown = JSON.parse(storage.getItem(key) ?? '[]')
      return Array.isArray(ids) ? ids.filter((id) => typeof id === 'number') : []
    } catch {
      return [] // somebody else's, or broken: at worst a push is handled twice
    }
  }
  // Read anew each time: another tab may have written.
  return {
    has: (taskId) => read().includes(taskId),
    add(taskId) {
      const others = read().filter((id) => id !== taskId)
      storage.setItem(key, JSON.stringify([...others, taskId].slice(-limit)))
    },
  }
}
