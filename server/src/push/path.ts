import type { Logger } from 'pino'
import type { Bus } from '../bus/bus.ts'
import type { Clock } from '../clock.ts'
import type { WrittenBatch } from '../store/batches.ts'
import type { Store } from '../store/store.ts'
import type { Here } from './page.ts'
import type { Vendors } from './channel.ts'
import type { Pulse } from './pulse.ts'
import type { Task } from './task.ts'

/** What the steps of the path share; made once, in main.ts. */
export interface Path {
  store: Store
  bus: Bus
  clock: Clock
  log: Logger
  vendors: Vendors
  pulse: Pulse
  /** This node, and which live, at this moment. */
  here(): Here
  /** Batches were stored: hands over what is for this node, wakes what must look. Resolves when that is handed over. */
  onWritten(task: Task, batches: readonly WrittenBatch[]): Promise<void>
}
