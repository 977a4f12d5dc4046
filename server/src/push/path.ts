import type { Logger } from 'pino'
import type { Bus } from '../bus/bus.ts'
import type { Clock } from '../clock.ts'
import type { NewBatch, WrittenBatch } from '../store/batches.ts'
import type { Store } from '../store/store.ts'
import type { PageContext } from './page.ts'
import type { Vendors } from './roads.ts'
import type { Task } from './task.ts'

/** What the steps of the path share; made once, in main.ts. */
export interface Path {
  store: Store
  bus: Bus
  clock: Clock
  log: Logger
  vendors: Vendors
  planning: Omit<PageContext, 'roads' | 'now'>
  /** Batches were stored: hand over what is for this node, wake what must look. */
  onWritten(task: Task, batches: readonly NewBatch[], written: readonly WrittenBatch[]): void
}
