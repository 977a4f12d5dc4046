import { createServer } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import type { Message } from '@carillon/protocol/notify.ts'
import { generate, parser, type IConnectPacket, type IPublishPacket, type Packet } from 'mqtt-packet'
import type { Push, Target } from '../push/channel.ts'
import { Gateway, type GatewayOptions } from './gateway.ts'
import type { Delivery, DeviceCaller, GatewayPorts } from './ports.ts'
import { listenTcp, type TcpOptions } from './tcp.ts'
import { attachWebSocket } from './websocket.ts'

/** What can be awaited: things that happened, in order, taken one by one. */
export class Events<T> {
  readonly #waiting: ((value: T) => void)[] = []
  readonly #happened: T[] = []

  add(value: T): void {
    const waiter = this.#waiting.shift()
    if (waiter) waiter(value)
    else this.#happened.push(value)
  }

  next(): Promise<T> {
    const value = this.#happened.shift()
    return value === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(value)
  }

  async take(count: number): Promise<T[]> {
    const values: T[] = []
    while (values.length < count) values.push(await this.next())
    return values
  }

  /** What has happened and was not taken. */
  get rest(): readonly T[] {
    return this.#happened
  }
}

/** A house that knows device 1 as push-1 with the access token access-1, and so on, and writes down what it is told. */
export class RecordingPorts implements GatewayPorts {
  readonly arrivals = new Events<number>()
  readonly departures = new Events<number>()
  readonly acknowledged = new Events<Delivery>()
  readonly written = new Events<{ delivery: Delivery; final: boolean }>()
  readonly lost = new Events<Delivery[]>()
  readonly receipts = new Events<{ caller: DeviceCaller; item: unknown }>()
  /** By device; an acknowledged one leaves, as it does in the store. */
  readonly inboxes = new Map<number, Delivery[]>()
  readonly reads: { afterTask: number; limit: number }[] = []
  readonly revokedTokens = new Set<number>()

  async authenticate(pushToken: string, accessToken: string): Promise<DeviceCaller | undefined> {
    const deviceId = Number(/^push-(\d+)$/.exec(pushToken)?.[1])
    if (accessToken !== `access-${deviceId}` || this.revokedTokens.has(deviceId + 2000)) return undefined
    return { appId: 1, userId: deviceId + 1000, deviceId, tokenId: deviceId + 2000 }
  }

  async arrived(deviceId: number): Promise<void> {
    this.arrivals.add(deviceId)
  }

  left(deviceId: number): void {
    this.departures.add(deviceId)
  }

  async inbox({ deviceId }: DeviceCaller, afterTask: number, limit: number): Promise<Delivery[]> {
    this.reads.push({ afterTask, limit })
    const waiting = this.inboxes.get(deviceId) ?? []
    return waiting.filter(({ push }) => push.taskId > afterTask).slice(0, limit)
  }

  sent(delivery: Delivery, final: boolean): void {
    this.written.add({ delivery, final })
    if (final) this.#settle(delivery)
  }

  received(delivery: Delivery): void {
    this.acknowledged.add(delivery)
    this.#settle(delivery)
  }

  unacknowledged(_deviceId: number, deliveries: Delivery[]): void {
    this.lost.add([...deliveries])
  }

  async receipt(caller: DeviceCaller, item: unknown): Promise<void> {
    this.receipts.add({ caller, item })
  }

  #settle({ push }: Delivery): void {
    for (const [deviceId, waiting] of this.inboxes) {
      this.inboxes.set(deviceId, waiting.filter((other) => other.push.taskId !== push.taskId))
    }
  }
}

export const NOW = 1_790_000_000_000

export const pushOf = (taskId: number, message: Message = { title: `push ${taskId}` }): Push => ({
  taskId,
  appId: 1,
  message,
  setting: {},
  acceptedAt: NOW,
  expiresAt: NOW + 3_600_000,
})

export const deliveryOf = (taskId: number, more: Partial<Delivery> = {}): Delivery => ({
  batchId: taskId * 10,
  index: 0,
  badge: null,
  push: pushOf(taskId),
  ...more,
})

export const targetOf = (deviceId: number, badge: number | null = null): Target => ({
  index: 0,
  deviceId,
  badge,
  address: null,
})

export interface House {
  gateway: Gateway
  ports: RecordingPorts
  logged: string[]
  port: number
  tcpUrl: string
  webSocketUrl: string
}

export const startGateway = async (
  t: TestContext,
  options: Partial<Pick<GatewayOptions, 'greetingsPerAddress'>> & Pick<TcpOptions, 'secureContext'> = {},
): Promise<House> => {
  const ports = new RecordingPorts()
  const logged: string[] = []
  const write = (fields: object, text: string): number => logged.push(`${text} ${JSON.stringify(fields)}`)
  const log = { debug: write, info: write, warn: write }
  const { greetingsPerAddress = 64, secureContext } = options
  const gateway = new Gateway({ ports, log, clock: { now: () => NOW }, greetingsPerAddress })
  gateway.wheel.stop() // the tests turn it
  const tcp = await listenTcp({ gateway, host: '127.0.0.1', port: 0, secureContext })
  const http = createServer()
  attachWebSocket(http, { gateway })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  t.after(async () => {
    await tcp.close()
    await gateway.close()
    await new Promise((resolve) => http.close(resolve))
  })
  const { port: httpPort } = http.address() as AddressInfo
  return {
    gateway,
    ports,
    logged,
    port: tcp.port,
    tcpUrl: `mqtt://127.0.0.1:${tcp.port}`,
    webSocketUrl: `ws://127.0.0.1:${httpPort}/mqtt`,
  }
}

/** A client that says exactly what it is told to, and nothing by itself. */
export class RawDevice {
  readonly socket: Socket
  readonly packets = new Events<Packet>()
  readonly closed: Promise<void>
  readonly version: 4 | 5

  constructor(port: number, version: 4 | 5 = 4) {
    this.version = version
    this.socket = connect(port, '127.0.0.1')
    this.closed = new Promise((resolve) => this.socket.once('close', () => resolve()))
    this.socket.on('error', () => {})
    const incoming = parser({ protocolVersion: version })
    incoming.on('packet', (packet) => this.packets.add(packet))
    this.socket.on('data', (chunk: Buffer) => incoming.parse(chunk))
  }

  send(...packets: (Packet | Buffer)[]): void {
    this.socket.write(Buffer.concat(packets.map((packet) => (Buffer.isBuffer(packet) ? packet : this.encode(packet)))))
  }

  encode(packet: Packet): Buffer {
    return generate(packet, { protocolVersion: this.version })
  }

  connectPacket(deviceId: number, more: Partial<IConnectPacket> = {}): Packet {
    return {
      cmd: 'connect',
      protocolId: 'MQTT',
      protocolVersion: this.version,
      clean: true,
      clientId: 'device',
      keepalive: 0,
      username: `push-${deviceId}`,
      password: Buffer.from(`access-${deviceId}`),
      ...more,
    }
  }

  subscribePacket(qos: 0 | 1 | 2 = 1): Packet {
    return { cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'push', qos, nl: false, rap: false, rh: 0 }] }
  }

  /** Connects and subscribes; resolves after the two answers. */
  async come(deviceId: number, more: Partial<IConnectPacket> & { qos?: 0 | 1 } = {}): Promise<this> {
    const { qos = 1, ...connectMore } = more
    this.send(this.connectPacket(deviceId, connectMore), this.subscribePacket(qos))
    await this.packets.take(2)
    return this
  }

  async next<C extends Packet['cmd']>(cmd: C): Promise<Extract<Packet, { cmd: C }>> {
    const packet = await this.packets.next()
    if (packet.cmd !== cmd) throw new Error(`expected ${cmd}, got ${packet.cmd}`)
    return packet as Extract<Packet, { cmd: C }>
  }

  acknowledge(id: number): void {
    this.send(Buffer.of(0x40, 2, id >> 8, id & 0xff))
  }

  /** A round trip: everything sent before it has been handled when it resolves. */
  async settle(): Promise<void> {
    this.send({ cmd: 'pingreq' })
    await this.next('pingresp')
  }
}

export const receiptPacket = (messageId: number, payload = '{"task_id":5}', qos: 0 | 1 | 2 = 1): IPublishPacket => ({
  cmd: 'publish',
  topic: 'receipt',
  payload,
  qos,
  messageId,
  dup: false,
  retain: false,
})

export const taskOf = (packet: { payload: string | Buffer }): number => JSON.parse(packet.payload.toString()).task_id
