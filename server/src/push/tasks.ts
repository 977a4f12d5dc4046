import type { Store } from '../store/store.ts'
import { readTask } from '../store/tasks.ts'
import { type AppRules, type Task, taskOf } from './task.ts'

const KEPT = 1_000

/** Tasks lately worked on. What a task says never changes, so a kept one is never stale. */
export class Tasks {
  readonly #store: Store
  readonly #rulesOf: (app: number) => Promise<AppRules>
  readonly #kept = new Map<number, Task>() // in the order they were kept: the first one goes first

  constructor(store: Store, rulesOf: (app: number) => Promise<AppRules>) {
    this.#store = store
    this.#rulesOf = rulesOf
  }

  async get(id: number): Promise<Task> {
    const kept = this.#kept.get(id)
    if (kept) return kept
    const row = await this.#store.read(readTask, { id })
    if (!row) throw new Error(`the ledger names task ${id}, which is not there`)
    const task = taskOf(row, await this.#rulesOf(row.app))
    this.keep(task)
    return task
  }

  keep(task: Task): void {
    this.#kept.set(task.id, task)
    if (this.#kept.size > KEPT) this.#kept.delete(this.#kept.keys().next().value!)
  }
}
