import type { Clock } from './clock.ts'
import { Malformed } from './mqtt-bytes.ts'
import type { Packet } from './mqtt-read.ts'
import { DISCONNECT, PINGREQ, writeConnect, writeSubscribe, type Bytes, type Credentials } from './mqtt-write.ts'
import { Packets } from './packets.ts'
import type { Dial, Wire } from './wire.ts'

const PUSH_TOPIC = 'push'
/** The only packet id that is not a receipt's: nothing else is sent before it is answered. */
const SUBSCRIBE_ID = 1

/** From dialling to the answered subscription. */
const GREETING_MS = 20_000
/** A server that lets a ping unanswered for this long is not there any more. */
const PONG_MS = 10_000

export type Publish = Extract<Packet, { type: 'publish' }>
export type Puback = Extract<Packet, { type: 'puback' }>

/** Why a connection is over: what the server said, or that it was lost without a word. */
export type Ending =
  | { kind: 'refused'; code: number }
  | { kind: 'sent away'; code: number; why: string }
  | { kind: 'lost'; why: string }

export interface SessionEvents {
  /** `receiveMaximum`: how many receipts may be under way at once. */
  online(receiveMaximum: number): void
  publish(packet: Publish): void
  puback(packet: Puback): void
  /** Once, and the last word. Not told when we closed it ourselves. */
  ended(ending: Ending): void
}

export interface SessionOptions extends Credentials {
  url: URL
  dial: Dial
  keepAliveSeconds: number
  clock: Clock
}

/** One connection, from dialling to its end: CONNECT, SUBSCRIBE, then pings for as long as it is online. */
export class Session {
  readonly #events: SessionEvents
  readonly #clock: Clock
  readonly #packets = new Packets()
  readonly #wire: Wire
  #keepAliveSeconds: number
  #receiveMaximum = 1
  #stage: 'greeting' | 'accepted' | 'online' | 'over' = 'greeting'
  /** Whether anything came since the last ping. */
  #heard = false
  #cancelTimer: () => void

  constructor(options: SessionOptions, events: SessionEvents) {
    const { url, dial, keepAliveSeconds, clock } = options
    this.#events = events
    this.#clock = clock
    this.#keepAliveSeconds = keepAliveSeconds
    this.#wire = dial(url, {
      opened: () => this.send(writeConnect(options, keepAliveSeconds)),
      bytes: (chunk) => this.#take(chunk),
      closed: (why) => this.#end({ kind: 'lost', why }),
    })
    this.#cancelTimer = clock.after(GREETING_MS, () => this.#end({ kind: 'lost', why: 'the server did not answer' }))
  }

  send(bytes: Bytes): void {
    if (this.#stage !== 'over') this.#wire.send(bytes)
  }

  /** Says good-bye and closes. */
  close(): void {
    if (this.#stage === 'accepted' || this.#stage === 'online') this.#wire.send(DISCONNECT)
    this.#finish()
  }

  #take(chunk: Uint8Array): void {
    try {
      this.#heard = true
      this.#packets.read(chunk, (packet) => this.#packet(packet))
    } catch (error) {
      if (!(error instanceof Malformed)) throw error
      this.#end({ kind: 'lost', why: `not what a server says to a device: ${error.message}` })
    }
  }

  #packet(packet: Packet): void {
    if (this.#stage === 'over') return
    switch (packet.type) {
      case 'connack':
        return this.#accepted(packet)
      case 'suback':
        return this.#subscribed(packet)
      case 'publish':
        return this.#events.publish(packet)
      case 'puback':
        return this.#events.puback(packet)
      case 'pingresp':
        return
      case 'disconnect':
        return this.#end({ kind: 'sent away', code: packet.code, why: packet.why })
    }
  }

  #accepted({ code, keepAliveSeconds, receiveMaximum }: Extract<Packet, { type: 'connack' }>): void {
    if (this.#stage !== 'greeting') throw new Malformed('a second CONNACK')
    if (code !== 0) return this.#end({ kind: 'refused', code })
    this.#stage = 'accepted'
    this.#keepAliveSeconds = keepAliveSeconds ?? this.#keepAliveSeconds
    this.#receiveMaximum = receiveMaximum
    this.send(writeSubscribe(SUBSCRIBE_ID, PUSH_TOPIC))
  }

  #subscribed({ id, codes }: Extract<Packet, { type: 'suback' }>): void {
    if (this.#stage !== 'accepted' || id !== SUBSCRIBE_ID) throw new Malformed('a SUBACK nobody asked for')
    if (codes.length !== 1 || codes[0] !== 1) throw new Malformed('the subscription was not granted')
    this.#stage = 'online'
    this.#cancelTimer()
    this.#pingLater()
    this.#events.online(this.#receiveMaximum)
  }

  /** Twice as often as promised: timers of pages in the background run late. A keep-alive of 0 means none. */
  #pingLater(): void {
    if (this.#keepAliveSeconds === 0) return
    this.#cancelTimer = this.#clock.after(this.#keepAliveSeconds * 500, () => {
      this.#heard = false
      this.send(PINGREQ)
      this.#cancelTimer = this.#clock.after(PONG_MS, () => {
        if (this.#heard) this.#pingLater()
        else this.#end({ kind: 'lost', why: 'the connection is dead: a ping was not answered' })
      })
    })
  }

  #end(ending: Ending): void {
    if (this.#stage === 'over') return
    this.#finish()
    this.#events.ended(ending)
  }

  #finish(): void {
    this.#stage = 'over'
    this.#cancelTimer()
    this.#wire.close()
  }
}
