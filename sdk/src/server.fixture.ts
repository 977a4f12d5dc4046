import { generate, parser, type IConnackPacket, type Packet } from 'mqtt-packet'
import type { Clock } from './clock.ts'
import { connectDevice, type Device, type DeviceOptions, type DeviceState } from './device.ts'
import type { Dial, WireEvents } from './wire.ts'

/** A clock that stands still until it is moved. */
export class HandClock implements Clock {
  #now = 1_000_000
  #due: { at: number; work: () => void }[] = []

  now(): number {
    return this.#now
  }

  after(ms: number, work: () => void): () => void {
    const entry = { at: this.#now + ms, work }
    this.#due.push(entry)
    return () => void (this.#due = this.#due.filter((other) => other !== entry))
  }

  /** How much is still to be done. */
  get waiting(): number {
    return this.#due.length
  }

  /** Moves on, does what falls due in its order, and lets what that set off come to rest. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms
    for (;;) {
      const next = this.#due.toSorted((a, b) => a.at - b.at)[0]
      if (next === undefined || next.at > end) break
      this.#due = this.#due.filter((other) => other !== next)
      this.#now = Math.max(this.#now, next.at)
      next.work()
      await settled()
    }
    this.#now = end
  }
}

/** Promises that wait for nothing but one another have come to rest. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

interface Pushed {
  dup: boolean
  expirySeconds: number
  payload: string
}

/** The server's end of one connection; it speaks through somebody else's codec. */
export class Line {
  readonly got: Packet[] = []
  isClosed = false
  readonly #events: WireEvents
  readonly #parser = parser({ protocolVersion: 5 })

  constructor(events: WireEvents) {
    this.#events = events
    this.#parser.on('packet', (packet) => this.got.push(packet))
    this.#parser.on('error', (error: Error) => {
      throw error
    })
  }

  take(bytes: Uint8Array): void {
    this.#parser.parse(Buffer.from(bytes))
  }

  say(packet: Packet): void {
    this.#events.bytes(generate(packet, { protocolVersion: 5 }))
  }

  /** Lets the device in, as far as SUBACK. */
  welcome(properties: IConnackPacket['properties'] = {}): void {
    this.#events.opened()
    this.say({ cmd: 'connack', sessionPresent: false, reasonCode: 0, properties })
    this.say({ cmd: 'suback', messageId: 1, granted: [1] })
  }

  refuse(reasonCode: number): void {
    this.#events.opened()
    this.say({ cmd: 'connack', sessionPresent: false, reasonCode })
  }

  push(task_id: number, messageId: number, more: Partial<Pushed> = {}): void {
    const text = JSON.stringify({ task_id, channel: 'nativepush', type: 'text' })
    const { dup = false, expirySeconds = 3600, payload = text } = more
    const properties = { messageExpiryInterval: expirySeconds }
    this.say({ cmd: 'publish', topic: 'push', qos: 1, dup, retain: false, messageId, payload, properties })
  }

  sendAway(reasonCode: number): void {
    this.say({ cmd: 'disconnect', reasonCode })
  }

  cut(): void {
    this.#events.closed('cut')
  }

  ofKind<C extends Packet['cmd']>(cmd: C): Extract<Packet, { cmd: C }>[] {
    return this.got.filter((packet): packet is Extract<Packet, { cmd: C }> => packet.cmd === cmd)
  }

  /** Packet ids the device has acknowledged. */
  get acknowledged(): (number | undefined)[] {
    return this.ofKind('puback').map(({ messageId }) => messageId)
  }
}

export interface Bench {
  device: Device
  clock: HandClock
  lines: Line[]
  /** The newest connection. */
  line(): Line
  states: DeviceState[]
}

/** A device whose server, time and chance (always the whole pause) are in the test's hands. */
export const startDevice = (options: Partial<DeviceOptions> = {}): Bench => {
  const clock = new HandClock()
  const lines: Line[] = []
  const dial: Dial = Object.assign(
    (_url: URL, events: WireEvents) => {
      const line = new Line(events)
      lines.push(line)
      return { send: (bytes: Uint8Array) => line.take(bytes), close: () => void (line.isClosed = true) }
    },
    { schemes: ['ws:'] },
  )
  const device = connectDevice({
    url: 'http://server',
    pushToken: 'address',
    accessToken: 'credential',
    onPush: () => {},
    dial,
    clock,
    chance: () => 1,
    ...options,
  })
  const states: DeviceState[] = []
  device.on('state', (state) => states.push(state))
  return { device, clock, lines, line: () => lines.at(-1)!, states }
}
