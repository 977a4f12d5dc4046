import type { Outcome, Push, Target } from '../push/channel.ts'
import type { Connection, Stage } from './connection.ts'
import { PUSH_TOPIC, type EncodedPush } from './encode.ts'
import { nextNumber, type Home, type Live } from './live.ts'
import { acknowledgement, disconnect, packetType, PINGRESP, readAcknowledged, readPublish, typeOf } from './packet.ts'
import type { Version } from './packet.ts'
import type { DeviceCaller } from './ports.ts'
import { pubackRefusing, readSubscribe, readUnsubscribe, suback, unsuback, type Greeted } from './rare-packet.ts'
import { reason, reasonName, SUBACK_FAILURE, Violation, type Reason } from './reason.ts'
import { Receipts, type Taken } from './receipts.ts'
import { Subscription, type Subscriber } from './subscription.ts'

export const PACKET_LIMIT = 64 * 1024
/** Receipts being taken at once; above it the client is not read. */
export const RECEIPTS_AT_ONCE = 16
/** Our own bound on unacknowledged pushes, whatever the client allows. */
export const WINDOW = 32

const RECEIPT_TOPIC = Buffer.from('receipt')

/** A device's live connection. It owns what is in flight on it and nothing that has to survive it. */
export class Session implements Stage, Subscriber, Live {
  readonly packetLimit = PACKET_LIMIT
  readonly busy = false
  readonly connection: Connection
  readonly home: Home
  readonly caller: DeviceCaller
  readonly number = nextNumber()
  readonly version: Version
  readonly window: number
  readonly packetMaximum: number
  readonly #wantsReasons: boolean
  /** Silence allowed, in seconds; 0: for ever. */
  readonly #patience: number
  #heardAt: number
  #subscription: Subscription | undefined
  #receipts: Receipts | undefined

  constructor(connection: Connection, home: Home, caller: DeviceCaller, greeted: Greeted) {
    this.connection = connection
    this.home = home
    this.caller = caller
    this.version = greeted.version
    this.window = Math.min(WINDOW, greeted.receiveMaximum)
    this.packetMaximum = greeted.packetMaximum
    this.#wantsReasons = greeted.wantsReasons
    // One and a half times what it announced, and one more because our seconds are whole ones.
    this.#patience = greeted.keepAliveSeconds === 0 ? 0 : Math.ceil(greeted.keepAliveSeconds * 1.5) + 1
    const { wheel } = connection.door
    this.#heardAt = wheel.second
    wheel.forget(connection) // the greeting's deadline
    if (this.#patience !== 0) wheel.watch(connection, this.#patience)
  }

  get form(): Version {
    return this.version
  }

  get protocol(): string {
    return this.version === 5 ? 'MQTT 5' : 'MQTT 3.1.1'
  }

  opensWith(first: number): boolean {
    const type = first >> 4
    return type >= packetType.publish && type <= packetType.disconnect
  }

  packet(data: Buffer, at: number, end: number): void {
    this.#heardAt = this.connection.door.wheel.second
    this.#subscription?.heard()
    switch (typeOf(data, at)) {
      case packetType.puback:
        if (data[at] !== 0x40) throw new Violation(reason.malformed, 'puback flags')
        this.#subscription?.acknowledged(readAcknowledged(data, at, end, this.version))
        return
      case packetType.pingreq:
        if (data[at] !== 0xc0 || end - at !== 2) throw new Violation(reason.malformed, 'pingreq')
        this.connection.wire.write(PINGRESP)
        return
      case packetType.publish:
        return this.#published(data, at, end)
      case packetType.pubrel:
        return this.#released(data, at, end)
      case packetType.subscribe:
        return this.#subscribe(data.subarray(at, end))
      case packetType.unsubscribe:
        return this.#unsubscribe(data.subarray(at, end))
      case packetType.disconnect:
        this.closed('disconnected')
        return this.connection.end()
      default:
        throw new Violation(reason.protocolError, `packet type ${typeOf(data, at)}`)
    }
  }

  #published(data: Buffer, at: number, end: number): void {
    const published = readPublish(data, at, end, this.version)
    const { qos, id, topicAt, topicEnd, payloadAt } = published
    if (RECEIPT_TOPIC.compare(data, topicAt, topicEnd) !== 0) {
      if (qos === 1 && this.version === 5) {
        this.connection.wire.write(pubackRefusing(id, reason.notAuthorised, undefined))
      }
      return this.end(reason.notAuthorised, 'published to a topic other than receipt')
    }
    if (this.version === 5 && qos === 2) throw new Violation(reason.qosNotSupported, 'QoS 2')
    if (this.version === 5 && published.retain) throw new Violation(reason.retainNotSupported, 'retain')

    this.#receipts ??= new Receipts()
    const payload = Buffer.from(data.subarray(payloadAt, end))
    this.#receipts.take(this.home.ports, this.caller, payload, (taken) => this.#answer(qos, id, taken))
    if (this.#receipts.open >= RECEIPTS_AT_ONCE) this.connection.wire.pause()
  }

  #answer(qos: number, id: number, taken: Taken): void {
    if (this.connection.stage !== this) return
    const { log } = this.connection.door
    const device = this.caller.deviceId
    if (this.#receipts!.open < RECEIPTS_AT_ONCE) this.connection.wire.resume()
    if (taken.kind === 'lost') {
      log.warn({ error: taken.error, device }, 'a receipt could not be stored')
      return this.end(reason.unspecified, 'a receipt could not be stored')
    }
    if (taken.kind === 'refused') log.info({ device, why: taken.why }, 'receipt refused')
    if (qos === 0) return
    if (taken.kind === 'refused' && this.version === 5) {
      const why = this.#wantsReasons ? taken.why : undefined
      this.connection.wire.write(pubackRefusing(id, taken.code, why))
    } else {
      // MQTT 3.1.1 cannot say no, and unanswered it would come again for ever. A receipt repeated changes nothing, so
      // QoS 2 needs no memory: the receipt is taken with the first packet, the rest of the exchange is answered.
      this.connection.wire.write(acknowledgement(qos === 2 ? 5 : 4, id))
    }
  }

  #released(data: Buffer, at: number, end: number): void {
    if (data[at] !== 0x62) throw new Violation(reason.malformed, 'pubrel flags')
    if (this.version === 5) throw new Violation(reason.protocolError, 'QoS 2')
    this.connection.wire.write(acknowledgement(7, readAcknowledged(data, at, end, this.version)))
  }

  #subscribe(packet: Buffer): void {
    const { id, filters, hasIdentifier } = readSubscribe(packet, this.version)
    let granted = -1
    const codes = filters.map(({ filter, qos }) => {
      if (filter !== PUSH_TOPIC || hasIdentifier) return this.#refusalOf(filter, hasIdentifier)
      granted = Math.min(qos, 1)
      return granted
    })
    const answer = (): void => void this.connection.wire.write(suback(this.version, id, codes))
    if (granted < 0) return answer()
    this.#subscription ??= new Subscription(this)
    this.#subscription.subscribe(granted, answer)
  }

  #refusalOf(filter: string, hasIdentifier: boolean): number {
    if (this.version === 4) return SUBACK_FAILURE
    if (hasIdentifier) return reason.subscriptionIdsNotSupported
    return filter.startsWith('$share/') ? reason.sharedNotSupported : reason.notAuthorised
  }

  #unsubscribe(packet: Buffer): void {
    const { id, filters } = readUnsubscribe(packet, this.version)
    const codes = filters.map((filter) => {
      if (filter !== PUSH_TOPIC || !this.#subscription?.subscribed) return reason.noSubscriptionExisted
      this.#subscription.unsubscribe()
      return reason.success
    })
    this.connection.wire.write(unsuback(this.version, id, codes))
  }

  hand(encoded: EncodedPush, push: Push, batchId: number, target: Target): Outcome {
    return this.#subscription?.hand(encoded, push, batchId, target) ?? { kind: 'away' }
  }

  wake(): void {
    this.#subscription?.wake()
  }

  timedOut(taskId: number): void {
    this.#subscription?.timedOut(taskId)
  }

  /** Its packet id is free again only with its PUBACK. */
  acknowledged(): boolean {
    return false
  }

  violated(code: Reason, why: string): void {
    this.end(code, why)
  }

  /** Our side ends it; MQTT 3.1.1 has no way to say why. */
  end(code: Reason, why: string): void {
    if (this.connection.stage !== this) return
    this.connection.door.log.info({ device: this.caller.deviceId, session: this.number, why }, 'session ended')
    this.closed(reasonName(code))
    this.connection.end(this.version === 5 ? disconnect(code) : undefined)
  }

  closed(why = 'lost'): void {
    this.home.leave(this, why)
    this.#subscription?.close()
  }

  stalled(): void {
    this.#subscription ??= new Subscription(this)
    this.#subscription.stalled()
  }

  drained(): void {
    this.#subscription?.drained()
  }

  look(): void {
    const { wheel } = this.connection.door
    if (this.#patience !== 0) {
      const left = this.#heardAt + this.#patience - wheel.second
      if (left <= 0) return this.end(reason.keepAliveTimeout, 'keep-alive timeout')
      wheel.watch(this.connection, left)
    }
    if (this.#subscription?.look() === false) {
      this.end(reason.unspecified, 'it does not read what it is sent')
      this.connection.wire.destroy()
    }
  }
}
