import { once } from 'node:events'
import { connect as connectTcp, type Socket } from 'node:net'
import type { Carillon, Login } from './carillon.ts'

export type Version = 4 | 5

/** Types of MQTT packets, as the upper half of the first byte has them. */
export const packetType = { connack: 2, publish: 3, puback: 4, suback: 9, pingresp: 13, disconnect: 14 } as const

export interface Packet {
  type: number
  flags: number
  /** What follows the fixed header. */
  body: Buffer
}

export interface RawPush {
  task_id: number
  badge?: number
  dup: boolean
  qos: number
  id: number
}

const text = (value: string): Buffer => {
  const bytes = Buffer.from(value)
  return Buffer.concat([word(bytes.length), bytes])
}

const word = (value: number): Buffer => Buffer.of(value >> 8, value & 0xff)

/** A packet of any kind, well-formed or not: only its length is right. */
export const packet = (first: number, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts)
  const length: number[] = []
  for (let left = body.length; ; left >>>= 7) {
    length.push(left < 0x80 ? left : (left & 0x7f) | 0x80)
    if (left < 0x80) return Buffer.concat([Buffer.of(first, ...length), body])
  }
}

const noProperties = (version: Version): Buffer => (version === 5 ? Buffer.of(0) : Buffer.alloc(0))

export const connectPacket = (
  version: Version,
  { username, password, keepAlive = 0 }: { username?: string; password?: string; keepAlive?: number },
): Buffer => {
  const flags = 0x02 | (username === undefined ? 0 : 0x80) | (password === undefined ? 0 : 0x40)
  const credentials = [username, password].filter((value) => value !== undefined).map(text)
  const head = Buffer.concat([text('MQTT'), Buffer.of(version, flags), word(keepAlive), noProperties(version)])
  return packet(0x10, head, text('raw'), ...credentials)
}

export const subscribePacket = (version: Version, filters: readonly { filter: string; qos: number }[]): Buffer => {
  const wanted = filters.map(({ filter, qos }) => Buffer.concat([text(filter), Buffer.of(qos)]))
  return packet(0x82, word(1), noProperties(version), ...wanted)
}

export const publishPacket = (version: Version, topic: string, payload: string | Buffer): Buffer =>
  packet(0x30, text(topic), noProperties(version), Buffer.from(payload))

/**
 * A device that writes its own bytes: it does what no client library would do, and leaves undone what every one does.
 * It acknowledges nothing by itself.
 */
export class RawSocket {
  readonly socket: Socket
  readonly packets: Packet[] = []
  readonly pushes: RawPush[] = []
  /** The version it speaks, which decides how a packet is read. */
  version: Version = 4
  #read = Buffer.alloc(0)
  #taken = 0
  #news = Promise.withResolvers<void>()
  #isClosed = false

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', (chunk: Buffer) => this.#take(chunk))
    socket.on('error', () => {}) // 'close' follows; a server that hangs up in the middle of a packet is no accident
    socket.on('close', () => {
      this.#isClosed = true
      this.#tell()
    })
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  send(...packets: Buffer[]): void {
    this.socket.write(Buffer.concat(packets))
  }

  acknowledge({ id }: RawPush): void {
    this.send(packet(0x40, word(id)))
  }

  /** The next packet that was not asked for yet; undefined when the server has hung up instead. */
  async next(): Promise<Packet | undefined> {
    await this.#until(() => this.packets.length > this.#taken)
    return this.packets[this.#taken++]
  }

  /** Resolves when that many pushes have arrived in all. */
  async has(count: number): Promise<RawPush[]> {
    await this.#until(() => this.pushes.length >= count)
    if (this.pushes.length < count) throw new Error(`the connection was closed after ${this.pushes.length} pushes`)
    return this.pushes
  }

  get tasks(): number[] {
    return this.pushes.map(({ task_id }) => task_id)
  }

  /** Resolves when the server has closed it. */
  async closed(): Promise<void> {
    await this.#until(() => false)
  }

  async #until(there: () => boolean): Promise<void> {
    while (!there() && !this.#isClosed) await this.#news.promise
  }

  #tell(): void {
    this.#news.resolve()
    this.#news = Promise.withResolvers<void>()
  }

  #take(chunk: Buffer): void {
    this.#read = Buffer.concat([this.#read, chunk])
    for (;;) {
      let [at, length, factor] = [1, 0, 1]
      do {
        if (at >= this.#read.length) return this.#tell()
        length += (this.#read[at]! & 0x7f) * factor
        factor *= 128
      } while (this.#read[at++]! & 0x80)
      if (this.#read.length < at + length) return this.#tell()
      const first = this.#read[0]!
      const read = { type: first >> 4, flags: first & 0x0f, body: this.#read.subarray(at, at + length) }
      this.#read = this.#read.subarray(at + length)
      this.packets.push(read)
      if (read.type === packetType.publish) this.pushes.push(this.#pushOf(read))
    }
  }

  #pushOf({ flags, body }: Packet): RawPush {
    const qos = (flags >> 1) & 3
    let at = 2 + body.readUInt16BE(0)
    const id = qos === 0 ? 0 : body.readUInt16BE(at)
    if (qos > 0) at += 2
    if (this.version === 5) at += 1 + body[at]! // properties of a push are short: their length is one byte
    return { ...(JSON.parse(body.toString('utf8', at)) as RawPush), dup: (flags & 8) !== 0, qos, id }
  }
}

/** Connects, and says nothing yet. `from` is the loopback address it comes from. */
export const openSocket = async (
  t: { after(work: () => unknown): void },
  { mqttPort }: Pick<Carillon, 'mqttPort'>,
  { from }: { from?: string } = {},
): Promise<RawSocket> => {
  const socket = connectTcp({ host: '127.0.0.1', port: mqttPort, ...(from && { localAddress: from }) })
  const raw = new RawSocket(socket)
  t.after(() => socket.destroy())
  await once(socket, 'connect')
  return raw
}

/** Connects with a login's credentials; resolves when they were accepted. */
export const greet = async (
  t: { after(work: () => unknown): void },
  carillon: Carillon,
  login: Pick<Login, 'push_token' | 'token'>,
  { version = 4, keepAlive = 0 }: { version?: Version; keepAlive?: number } = {},
): Promise<RawSocket> => {
  const raw = await openSocket(t, carillon)
  raw.version = version
  raw.send(connectPacket(version, { username: login.push_token, password: login.token, keepAlive }))
  const answer = await raw.next()
  if (answer?.type !== packetType.connack || answer.body[1] !== 0) throw new Error('the connection was refused')
  return raw
}

/** The same, and subscribed: a device that gets pushes and acknowledges none. */
export const connectMute = async (
  t: { after(work: () => unknown): void },
  carillon: Carillon,
  login: Pick<Login, 'push_token' | 'token'>,
  { qos = 1, ...options }: { qos?: 0 | 1; version?: Version; keepAlive?: number } = {},
): Promise<RawSocket> => {
  const raw = await greet(t, carillon, login, options)
  raw.send(subscribePacket(raw.version, [{ filter: 'push', qos }]))
  const answer = await raw.next()
  if (answer?.type !== packetType.suback || answer.body.at(-1) !== qos) throw new Error('the subscription was refused')
  return raw
}
