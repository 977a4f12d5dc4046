import type { Clock } from '../clock.ts'
import type { Outcome, Push, Target } from '../push/channel.ts'
import { WRITE_LIMIT, type Connection } from './connection.ts'
import type { EncodedPush, EncodedPushes, Form } from './encode.ts'
import { Flight } from './flight.ts'
import type { Delivery, DeviceCaller, GatewayPorts } from './ports.ts'

/** What sessions share. */
export interface Surroundings {
  readonly ports: GatewayPorts
  readonly clock: Clock
  readonly pushes: EncodedPushes
  /** One device of an app more is here, or one less. */
  present(appId: number, change: 1 | -1): void
}

/** The session a subscription belongs to. */
export interface Subscriber {
  readonly connection: Connection
  readonly home: Surroundings
  readonly caller: DeviceCaller
  /** The session's number, unique in this process. */
  readonly number: number
  readonly form: Form
  /** How many pushes it may have unacknowledged. */
  readonly window: number
  /** The longest packet it takes. */
  readonly packetMaximum: number
}

/**
 * away      not subscribed
 * arriving  subscribed; being stored, and nothing is delivered before it is
 * here      delivered to
 * silent    let a push time out; counts as away until it sends anything
 */
type Presence = 'away' | 'arriving' | 'here' | 'silent'

const PAGE = 64 // of the inbox, at QoS 0; at QoS 1 the window is the page
const STALLED_SECONDS = 20
const RETRY_SECONDS = 2
/** Longer than it takes to store an acknowledgement; after it, the store knows what this connection settled. */
const QUIET_SECONDS = 60

const AWAY: Outcome = { kind: 'away' }
const QUEUED: Outcome = { kind: 'queued' }
const WRITTEN: Outcome = { kind: 'written' }
const SENT: Outcome = { kind: 'sent' }
const TOO_LARGE: Outcome = { kind: 'refused', why: "larger than the device's maximum packet size" }

/**
 * Pushes on their way down one connection. What is handed over is written at once if there is room; otherwise the
 * inbox is read, oldest first, as room comes free. While it is being read nothing overtakes it.
 */
export class Subscription {
  readonly #subscriber: Subscriber
  #qos = 0
  #presence: Presence = 'away'
  /** Counts changes of presence, so that an arrival that was overtaken is noticed. */
  #moves = 0
  /** The store did not answer: to be tried again. */
  #failed = false
  #flight: Flight | undefined
  #usedAt = 0
  /** The inbox is read from after this task; -1: it is not being read. */
  #cursor = -1
  /** Something came in behind the cursor: the inbox is read once more from its beginning. */
  #oncemore = false
  #fetching = false
  /** The second since which it has not read what we wrote; 0: it keeps up. */
  #stalledAt = 0

  constructor(subscriber: Subscriber) {
    this.#subscriber = subscriber
  }

  get subscribed(): boolean {
    return this.#presence !== 'away'
  }

  /**
   * `granted` is called once the device counts as here, before anything is delivered: whoever has its answer and then
   * sends to the device finds it online.
   */
  subscribe(qos: number, granted: () => void): void {
    // A settled push means acknowledged at one QoS and merely written at the other.
    if (qos !== this.#qos) this.#flight?.forgetSettled()
    this.#qos = qos
    if (this.#presence === 'away') this.#arrive(granted)
    else {
      granted()
      this.wake()
    }
  }

  unsubscribe(): void {
    const { home, caller, number } = this.#subscriber
    if (this.#presence === 'arriving' || this.#presence === 'here') {
      home.ports.left(caller.deviceId, number)
      home.present(caller.appId, -1)
    }
    this.#presence = 'away'
    this.#moves += 1
  }

  timedOut(taskId: number): void {
    // Acknowledged while that was found out, or never written here: this connection has nothing left to answer, and
    // called silent it would stay so until its next ping.
    if (this.#presence === 'away' || !this.#flight?.isOpen(taskId)) return
    this.unsubscribe()
    this.#presence = 'silent'
  }

  /** Any packet came: a silent device is here again. */
  heard(): void {
    if (this.#presence === 'silent') this.#arrive()
  }

  #arrive(granted?: () => void): void {
    const { home, caller, number, connection } = this.#subscriber
    if (this.#presence !== 'arriving') home.present(caller.appId, 1)
    this.#presence = 'arriving'
    const move = (this.#moves += 1)
    home.ports.arrived(caller.deviceId, number).then(
      () => {
        granted?.()
        if (move !== this.#moves) return
        this.#presence = 'here'
        if (!this.#fetching) this.#cursor = -1 // where an earlier stay stopped reading
        this.wake()
      },
      (error: unknown) => {
        granted?.()
        connection.door.log.warn({ error, device: caller.deviceId }, 'presence could not be stored; trying again')
        this.#failed = true
        connection.door.wheel.watch(connection, RETRY_SECONDS)
      },
    )
  }

  hand(encoded: EncodedPush, push: Push, batchId: number, target: Target): Outcome {
    if (this.#presence === 'away' || this.#presence === 'silent') return AWAY
    const { form, packetMaximum } = this.#subscriber
    const { badge, index } = target
    const delivery = { batchId, index, badge, push }
    if (this.#flight !== undefined && this.#isKnown(delivery)) return this.#qos === 0 ? SENT : WRITTEN
    if (encoded.size(form, this.#qos, badge) > packetMaximum) return TOO_LARGE
    if (this.#presence === 'arriving' || this.#cursor >= 0) {
      this.#oncemore = true
      return QUEUED
    }
    if (this.#room() === 0) {
      this.#cursor = 0
      return QUEUED
    }
    this.#write(encoded, delivery)
    return this.#qos === 0 ? SENT : WRITTEN
  }

  /** The inbox has something. */
  wake(): void {
    if (this.#presence !== 'here') return // it is read on arrival
    if (this.#cursor >= 0) this.#oncemore = true
    else this.#cursor = 0
    void this.#readInbox()
  }

  acknowledged(id: number): void {
    this.#settle(this.#flight?.acknowledge(id))
  }

  /** False: it is not in the air here. */
  acknowledgedTask(taskId: number): boolean {
    const delivery = this.#flight?.acknowledgeTask(taskId)
    this.#settle(delivery)
    return delivery !== undefined
  }

  #settle(delivery: Delivery | undefined): void {
    if (delivery === undefined) return // of an earlier connection, or a slip: neither needs an answer
    const { home, window } = this.#subscriber
    home.ports.received(delivery)
    if (this.#cursor >= 0 && this.#flight!.size <= window >> 1) void this.#readInbox()
  }

  stalled(): void {
    if (this.#stalledAt !== 0) return
    const { connection } = this.#subscriber
    this.#stalledAt = connection.door.wheel.second
    connection.door.wheel.watch(connection, STALLED_SECONDS)
  }

  drained(): void {
    this.#stalledAt = 0
    if (this.#cursor >= 0) void this.#readInbox()
  }

  /** False: it has not read for too long, and its connection must go. */
  look(): boolean {
    const { connection } = this.#subscriber
    const { wheel } = connection.door
    if (this.#stalledAt !== 0) {
      const left = this.#stalledAt + STALLED_SECONDS - wheel.second
      if (left <= 0) return false
      wheel.watch(connection, left)
    }
    if (this.#failed) {
      this.#failed = false
      if (this.#presence === 'arriving') this.#arrive()
      else void this.#readInbox()
    }
    if (this.#flight !== undefined) {
      const quiet = this.#flight.size === 0 && this.#cursor < 0 && wheel.second - this.#usedAt >= QUIET_SECONDS
      if (quiet) this.#flight = undefined
      else wheel.watch(connection, QUIET_SECONDS)
    }
    return true
  }

  /** The connection has ended: what was not acknowledged waits for the device again. */
  close(): void {
    const { home, caller } = this.#subscriber
    this.unsubscribe()
    if (this.#flight !== undefined && this.#flight.size > 0) {
      home.ports.unacknowledged(caller.deviceId, this.#flight.deliveries)
    }
    this.#flight = undefined
  }

  async #readInbox(): Promise<void> {
    if (this.#fetching) return
    this.#fetching = true
    const { home, caller, connection } = this.#subscriber
    try {
      while (this.#cursor >= 0 && this.#presence === 'here') {
        const limit = this.#room()
        if (limit === 0) break // an acknowledgement or a drained wire goes on here
        const page = await home.ports.inbox(caller, this.#cursor, limit)
        if (this.#presence !== 'here') break
        this.#writePage(page, limit)
      }
    } catch (error) {
      connection.door.log.warn({ error, device: caller.deviceId }, 'the inbox could not be read; trying again')
      this.#failed = true
      connection.door.wheel.watch(connection, RETRY_SECONDS)
    }
    this.#fetching = false
  }

  #writePage(page: Delivery[], limit: number): void {
    const { home, connection, form, packetMaximum } = this.#subscriber
    const now = home.clock.now()
    connection.wire.cork()
    for (const delivery of page) {
      if (this.#room() === 0) break
      this.#cursor = delivery.push.taskId
      if (this.#isKnown(delivery)) continue
      const encoded = home.pushes.of(delivery.push)
      if (encoded.size(form, this.#qos, delivery.badge) > packetMaximum) continue // it stays until it expires
      encoded.stamp(now)
      this.#write(encoded, delivery)
      home.ports.sent(delivery, this.#qos === 0)
    }
    connection.wire.uncork()
    const last = page.at(-1)
    if (page.length < limit && (last === undefined || last.push.taskId === this.#cursor)) {
      this.#cursor = this.#oncemore ? 0 : -1
      this.#oncemore = false
    }
  }

  /** Whether this connection has carried it already. What became of it is told again: telling twice changes nothing. */
  #isKnown(delivery: Delivery): boolean {
    const { taskId } = delivery.push
    if (this.#flight === undefined) return false
    if (this.#flight.isOpen(taskId)) return true
    if (!this.#flight.isSettled(taskId)) return false
    if (this.#qos === 0) this.#subscriber.home.ports.sent(delivery, true)
    else this.#subscriber.home.ports.received(delivery)
    return true
  }

  /** How many pushes may be written now. */
  #room(): number {
    const { connection, window } = this.#subscriber
    if (connection.wire.writableLength > WRITE_LIMIT) {
      this.stalled()
      return 0
    }
    return this.#qos === 0 ? PAGE : window - (this.#flight?.size ?? 0)
  }

  #write(encoded: EncodedPush, delivery: Delivery): void {
    const { connection, form } = this.#subscriber
    const { wheel } = connection.door
    if (this.#flight === undefined) {
      this.#flight = new Flight()
      wheel.watch(connection, QUIET_SECONDS)
    }
    this.#usedAt = wheel.second
    let id = 0
    if (this.#qos === 0) this.#flight.settle(delivery.push.taskId)
    else id = this.#flight.add(delivery)
    connection.wire.write(encoded.bytes(form, this.#qos, delivery.badge, id, delivery.again === true))
  }
}
