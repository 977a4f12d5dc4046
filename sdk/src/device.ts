import type { ReceiptEvent } from '@carillon/protocol/names.ts'
import { afterwards, type StopReason } from './afterwards.ts'
import { Arrivals, type Failure } from './arrivals.ts'
import { type CheckedOptions, checkOptions, type DeviceOptions } from './device-options.ts'
import { writePuback } from './mqtt-write.ts'
import { pauseMs } from './pauses.ts'
import type { Push } from './push.ts'
import { type ReceiptOutcome, Receipts } from './receipts.ts'
import { type Ending, type Publish, Session } from './session.ts'

export type { DeviceOptions } from './device-options.ts'

/**
 * connecting  on the way to the server
 * online      subscribed: pushes arrive
 * waiting     the connection was lost or not made; tried again by itself at `until` (Unix milliseconds)
 * stopped     for good; `why` says whether somebody has to log in again
 */
export type DeviceState =
  | { kind: 'connecting' }
  | { kind: 'online' }
  | { kind: 'waiting'; message: string; until: number }
  | { kind: 'stopped'; why: StopReason; message: string }

export interface DeviceEvents {
  state: DeviceState
  failure: Failure
}

/** A push, or as much of it as an app has kept. Without a channel: the one used last for this device. */
export type Reported = Pick<Push, 'task_id'> & Partial<Pick<Push, 'channel'>>

/** A connection that lasted this long was a good one: the next failure is the first again. */
const GOOD_MS = 10_000

type Listeners = { [E in keyof DeviceEvents]: Set<(event: DeviceEvents[E]) => void> }

/** Makes this program a device: connects, stays connected, and hands over what arrives. */
export const connectDevice = (options: DeviceOptions): Device => new Device(options)

export class Device {
  readonly #options: CheckedOptions
  readonly #arrivals: Arrivals
  readonly #receipts: Receipts
  readonly #listeners: Listeners = { state: new Set(), failure: new Set() }
  #state: DeviceState = { kind: 'connecting' }
  #session: Session | undefined
  #failures = 0
  #onlineSince = Infinity
  #cancelWaiting = (): void => {}

  constructor(options: DeviceOptions) {
    this.#options = checkOptions(options)
    this.#arrivals = new Arrivals({ ...this.#options, failed: (failure) => this.#tell('failure', failure) })
    this.#receipts = new Receipts((why) => this.#tell('failure', { kind: 'receipt', error: new Error(why) }))
    this.#connect()
  }

  get state(): DeviceState {
    return this.#state
  }

  /** Listens; the answer ends it. */
  on<E extends keyof DeviceEvents>(event: E, listener: (event: DeviceEvents[E]) => void): () => void {
    this.#listeners[event].add(listener)
    return () => this.#listeners[event].delete(listener)
  }

  /**
   * Tells the server what became of a push: shown, clicked, dismissed; received, for one that came over a vendor. Kept
   * and sent again until the server has it, for as long as the device is not stopped.
   */
  report({ task_id, channel }: Reported, event: ReceiptEvent): Promise<ReceiptOutcome> {
    return this.#receipts.report({ task_id, event, channel, at: this.#options.clock.now() })
  }

  /** Ends a pause at once: for when a page hears that the network is back. */
  hurry(): void {
    if (this.#state.kind !== 'waiting') return
    this.#cancelWaiting()
    this.#connect()
  }

  /** Stops for good. What was not acknowledged comes again to the device's next connection. */
  stop(): void {
    this.#stop('closed', 'stopped by the app')
  }

  #connect(): void {
    this.#enter({ kind: 'connecting' })
    if (this.#state.kind !== 'connecting') return // a listener stopped it
    const session = new Session(this.#options, {
      online: (receiveMaximum) => {
        this.#onlineSince = this.#options.clock.now()
        this.#receipts.online((bytes) => session.send(bytes), receiveMaximum)
        this.#enter({ kind: 'online' })
      },
      publish: (packet) => this.#arrived(session, packet),
      puback: (packet) => this.#receipts.answered(packet),
      ended: (ending) => this.#ended(ending),
    })
    this.#session = session
  }

  #arrived(session: Session, packet: Publish): void {
    this.#arrivals.take(packet, () => {
      if (packet.qos === 1) session.send(writePuback(packet.id))
    })
  }

  #ended(ending: Ending): void {
    const { clock, chance, pauses } = this.#options
    this.#receipts.offline()
    this.#session = undefined
    const next = afterwards(ending)
    if (next.kind === 'stop') return this.#stop(next.why, next.message)
    this.#failures = clock.now() - this.#onlineSince >= GOOD_MS ? 1 : this.#failures + 1
    this.#onlineSince = Infinity
    const ms = next.kind === 'spread' ? chance() * pauses.spreadMs : pauseMs(pauses, this.#failures, chance)
    this.#cancelWaiting = clock.after(ms, () => this.#connect())
    this.#enter({ kind: 'waiting', message: next.message, until: clock.now() + ms })
  }

  #stop(why: StopReason, message: string): void {
    if (this.#state.kind === 'stopped') return
    this.#cancelWaiting()
    this.#arrivals.close()
    this.#receipts.close()
    this.#session?.close()
    this.#session = undefined
    this.#enter({ kind: 'stopped', why, message })
  }

  #enter(state: DeviceState): void {
    this.#state = state
    this.#tell('state', state)
  }

  /** A listener that throws is the program's own trouble, told as such, and none of the connection's. */
  #tell<E extends keyof DeviceEvents>(event: E, value: DeviceEvents[E]): void {
    for (const listener of this.#listeners[event]) {
      try {
        listener(value)
      } catch (error) {
        queueMicrotask(() => {
          throw error
        })
      }
    }
  }
}
