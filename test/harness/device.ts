import { once } from 'node:events'
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt'
import type { Login } from './api.ts'

export interface Received {
  task_id: number
  channel: string
  dup: boolean
  qos: number
  [field: string]: unknown
}

/** A device: somebody else's MQTT client with the credentials of a login. */
export class Device {
  readonly client: MqttClient
  readonly received: Received[] = []
  /** Resolves when the connection has ended, to the reason the server gave: MQTT 5 has one, 3.1.1 has none. */
  readonly closed: Promise<number | undefined>
  #waiting: { count: number; resolve: () => void }[] = []

  constructor(client: MqttClient) {
    this.client = client
    const { promise, resolve } = Promise.withResolvers<number | undefined>()
    this.closed = promise
    client.on('disconnect', ({ reasonCode }) => resolve(reasonCode)).on('close', () => resolve(undefined))
    client.on('message', (_topic, payload, packet) => {
      this.received.push({ ...JSON.parse(payload.toString()), dup: packet.dup, qos: packet.qos })
      this.#waiting = this.#waiting.filter(({ count, resolve }) => this.received.length < count || resolve())
    })
  }

  /** Resolves when that many pushes have arrived in all. */
  async has(count: number): Promise<Received[]> {
    if (this.received.length < count) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#waiting.push({ count, resolve })
      await promise
    }
    return this.received
  }

  get tasks(): number[] {
    return this.received.map(({ task_id }) => task_id)
  }

  async close(): Promise<void> {
    await this.client.endAsync(true)
  }
}

/** Where a node takes devices. */
export interface Doors {
  readonly mqtt: string
  readonly webSocket: string
}

export interface DeviceOptions extends IClientOptions {
  /** tcp or ws. */
  over?: 'tcp' | 'ws'
  subscribe?: 0 | 1 | 2 | false
}

/** Connects and subscribes; the device is online when this resolves. */
export const connectDevice = async (
  t: { after(work: () => unknown): void },
  doors: Doors,
  login: Pick<Login, 'push_token' | 'token'>,
  { over = 'tcp', subscribe = 1, ...options }: DeviceOptions = {},
): Promise<Device> => {
  const url = over === 'tcp' ? doors.mqtt : doors.webSocket
  const client = mqtt.connect(url, { username: login.push_token, password: login.token, reconnectPeriod: 0, ...options })
  const device = new Device(client)
  t.after(() => device.close())
  await connected(client)
  if (subscribe !== false) await client.subscribeAsync('push', { qos: subscribe })
  return device
}

const connected = async (client: MqttClient): Promise<void> => {
  const abort = new AbortController()
  try {
    await Promise.race([
      once(client as never, 'connect', { signal: abort.signal }),
      once(client as never, 'close', { signal: abort.signal }).then(() => Promise.reject(new Error('the connection was closed'))),
    ])
  } finally {
    abort.abort()
  }
}
