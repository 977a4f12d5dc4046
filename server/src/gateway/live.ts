import type { Outcome, Push, Target } from '../push/channel.ts'
import type { Connection } from './connection.ts'
import type { EncodedPush } from './encode.ts'
import type { DeviceCaller } from './ports.ts'
import type { Reason } from './reason.ts'
import type { Surroundings } from './subscription.ts'

/** A device's live connection, whatever it speaks. */
export interface Live {
  readonly connection: Connection
  readonly caller: DeviceCaller
  /** Unique in this process. */
  readonly number: number
  /** What it speaks, for people. */
  readonly protocol: string
  hand(encoded: EncodedPush, push: Push, batchId: number, target: Target): Outcome
  wake(): void
  timedOut(taskId: number): void
  /** The device said by other means that it has this one. True when it was in the air here. */
  acknowledged(taskId: number): boolean
  /** Our side ends it; it is told why where it can be. */
  end(code: Reason, why: string): void
}

/** Where sessions live. */
export interface Home extends Surroundings {
  /** It has ended, and nothing more will come of it; `why` in a word. */
  leave(session: Live, why: string): void
}

let lastNumber = 0

/** Of a session, unique in this process. */
export const nextNumber = (): number => (lastNumber += 1)
