import { type Socket, connect } from 'node:net'
import { connectPacket, packet, packetType, subscribePacket } from './raw-socket.ts'

// A process of its own that is thousands of devices. It is told whom to be, and answers what became of them.

/** Who they are, and the ports of the gateways they may go to. */
export interface Enrolment {
  credentials: [pushToken: string, accessToken: string][]
  ports: number[]
}

export interface Status {
  online: number
  /** By task: how many of them got it, and how often in all. */
  tasks: Record<number, { devices: number; arrivals: number }>
}

const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 3_000
const VERSION = 4

/** One that comes back, at the next gateway, whenever it loses its connection. */
class LeanDevice {
  readonly #place: number
  readonly #hello: Buffer
  readonly #ports: readonly number[]
  readonly #crowd: LeanDevices
  #turn: number
  #failures = 0
  #read: Buffer = Buffer.alloc(0)

  constructor(crowd: LeanDevices, place: number, [username, password]: Enrolment['credentials'][number], ports: readonly number[]) {
    this.#crowd = crowd
    this.#place = place
    this.#hello = Buffer.concat([connectPacket(VERSION, { username, password }), subscribePacket(VERSION, [{ filter: 'push', qos: 1 }])])
    this.#ports = ports
    this.#turn = place
  }

  connect(): void {
    this.#read = Buffer.alloc(0)
    const socket = connect({ host: '127.0.0.1', port: this.#ports[this.#turn % this.#ports.length]!, noDelay: true })
    let isOnline = false
    socket.on('connect', () => socket.write(this.#hello))
    socket.on('error', () => {}) // 'close' follows
    socket.on('data', (chunk: Buffer) =>
      this.#take(chunk, (type, body) => {
        if (type === packetType.suback) {
          isOnline = true
          this.#failures = 0
          this.#crowd.online += 1
        } else if (type === packetType.publish) this.#got(socket, body)
      }),
    )
    socket.on('close', () => {
      if (isOnline) this.#crowd.online -= 1
      this.#turn += 1
      const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures++)
      setTimeout(() => this.connect(), longest * (0.5 + Math.random() / 2))
    })
  }

  #take(chunk: Buffer, each: (type: number, body: Buffer) => void): void {
    const read = this.#read.length === 0 ? chunk : Buffer.concat([this.#read, chunk])
    let from = 0
    for (;;) {
      let [at, length, factor] = [from + 1, 0, 1]
      while (at < read.length && read[at]! & 0x80) {
        length += (read[at++]! & 0x7f) * factor
        factor *= 128
      }
      if (at >= read.length) break
      length += read[at++]! * factor
      if (at + length > read.length) break
      each(read[from]! >> 4, read.subarray(at, at + length))
      from = at + length
    }
    this.#read = read.subarray(from)
  }

  /** Of QoS 1: topic, packet id, payload. */
  #got(socket: Socket, body: Buffer): void {
    const at = 2 + body.readUInt16BE(0)
    socket.write(packet(0x40, body.subarray(at, at + 2)))
    const { task_id } = JSON.parse(body.toString('utf8', at + 2)) as { task_id: number }
    this.#crowd.got(task_id, this.#place)
  }
}

class LeanDevices {
  online = 0
  readonly #count: number
  readonly #got = new Map<number, { once: Uint8Array; devices: number; arrivals: number }>()

  constructor({ credentials, ports }: Enrolment) {
    this.#count = credentials.length
    credentials.forEach((who, place) => new LeanDevice(this, place, who, ports).connect())
  }

  got(taskId: number, place: number): void {
    let task = this.#got.get(taskId)
    if (!task) this.#got.set(taskId, (task = { once: new Uint8Array(this.#count), devices: 0, arrivals: 0 }))
    task.arrivals += 1
    if (task.once[place] === 0) task.devices += 1
    task.once[place] = 1
  }

  get status(): Status {
    const tasks = Object.fromEntries([...this.#got].map(([id, { devices, arrivals }]) => [id, { devices, arrivals }]))
    return { online: this.online, tasks }
  }
}

let devices: LeanDevices | undefined
process.on('message', (message: Enrolment | 'status') => {
  if (message === 'status') process.send!(devices!.status)
  else devices = new LeanDevices(message)
})
process.on('disconnect', () => process.exit(0)) // nobody would end it
