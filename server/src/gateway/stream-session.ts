import type { Outcome, Push, Target } from '../push/channel.ts'
import { WRITE_LIMIT, type Connection, type Stage } from './connection.ts'
import { STREAM, type EncodedPush } from './encode.ts'
import { nextNumber, type Home, type Live } from './live.ts'
import type { DeviceCaller } from './ports.ts'
import { reason, reasonName, type Reason } from './reason.ts'
import { WINDOW } from './session.ts'
import { Subscription, type Subscriber } from './subscription.ts'

/** Well below the minute after which proxies give up a silent answer. */
const BEAT_SECONDS = 20
const BEAT = Buffer.from(':\n\n')

/**
 * A session over server-sent events: one way down, so it is subscribed from its beginning, and its acknowledgements
 * come as receipts through the HTTP door.
 */
export class StreamSession implements Stage, Subscriber, Live {
  readonly packetLimit = 0
  readonly busy = false
  readonly protocol = 'SSE'
  readonly form = STREAM
  readonly number = nextNumber()
  readonly window = WINDOW
  readonly packetMaximum = Infinity
  readonly connection: Connection
  readonly home: Home
  readonly caller: DeviceCaller
  readonly #subscription: Subscription
  #beatAt: number

  constructor(connection: Connection, home: Home, caller: DeviceCaller) {
    this.connection = connection
    this.home = home
    this.caller = caller
    this.#subscription = new Subscription(this)
    this.#beatAt = connection.door.wheel.second
  }

  /** QoS 0: a push is final once written. 1: it comes again on the next connection until it is acknowledged. */
  begin(qos: 0 | 1): void {
    const { wire, door } = this.connection
    wire.write(BEAT) // the answer's head goes out with it
    door.wheel.watch(this.connection, BEAT_SECONDS)
    this.#subscription.subscribe(qos, () => {})
  }

  hand(encoded: EncodedPush, push: Push, batchId: number, target: Target): Outcome {
    return this.#subscription.hand(encoded, push, batchId, target)
  }

  wake(): void {
    this.#subscription.wake()
  }

  timedOut(taskId: number): void {
    this.#subscription.timedOut(taskId)
  }

  acknowledged(taskId: number): boolean {
    this.#subscription.heard()
    return this.#subscription.acknowledgedTask(taskId)
  }

  end(code: Reason, why: string): void {
    if (this.connection.stage !== this) return
    this.connection.door.log.info({ device: this.caller.deviceId, session: this.number, why }, 'session ended')
    this.closed(reasonName(code))
    this.connection.end(Buffer.from(`event: end\ndata: ${JSON.stringify({ reason: why })}\n\n`))
  }

  closed(why = 'lost'): void {
    this.home.leave(this, why)
    this.#subscription.close()
  }

  stalled(): void {
    this.#subscription.stalled()
  }

  drained(): void {
    this.#subscription.drained()
  }

  look(): void {
    const { wheel } = this.connection.door
    if (!this.#subscription.look()) {
      this.end(reason.unspecified, 'it does not read what it is sent')
      this.connection.wire.destroy()
      return
    }
    if (wheel.second - this.#beatAt >= BEAT_SECONDS) {
      this.#beatAt = wheel.second
      if (this.connection.wire.writableLength <= WRITE_LIMIT) this.connection.wire.write(BEAT)
    }
    wheel.watch(this.connection, this.#beatAt + BEAT_SECONDS - wheel.second)
  }

  // Nothing comes up a stream.
  opensWith(): boolean {
    return false
  }

  packet(): void {}

  violated(code: Reason, why: string): void {
    this.end(code, why)
  }
}
