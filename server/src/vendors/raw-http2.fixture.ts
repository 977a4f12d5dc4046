import { createServer, type AddressInfo, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
const [DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY] = [0, 1, 3, 4, 6, 7]
const [END_STREAM, ACK, END_HEADERS] = [1, 1, 4]
const MAX_CONCURRENT_STREAMS = 3
/** HPACK's static table: `:status: 200`, and 403 as a literal with the name of that entry. */
const STATUS = { 200: [0x88], 403: [0x08, 3, ...Buffer.from('403')] }

/** And `content-length` by its place in there, as a literal. */
const CONTENT_LENGTH = [0x0f, 0x0d]

/** One client of the server below. Only SETTINGS and PING are acknowledged unless a test says otherwise. */
export class RawConnection {
  /** Streams whose request has arrived whole, in order, and the pings. */
  readonly requests: number[] = []
  pings = 0
  isSilent = false
  onRequest: (stream: number) => void = () => {}
  readonly socket: Socket
  #rest: Buffer = Buffer.alloc(0)
  readonly #waiting: (() => void)[] = []
  #isGreeted = false
  #hasSettled = false

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', (chunk: Buffer) => this.#read(chunk))
    socket.on('error', () => {})
  }

  settings(streams?: number): void {
    const payload = Buffer.alloc(streams === undefined ? 0 : 6)
    if (streams !== undefined) {
      payload.writeUInt16BE(MAX_CONCURRENT_STREAMS)
      payload.writeUInt32BE(streams, 2)
    }
    this.#write(SETTINGS, 0, 0, payload)
    // The first frame must not be the acknowledgement of the client's.
    if (!this.#hasSettled && this.#isGreeted) this.#write(SETTINGS, ACK, 0, Buffer.alloc(0))
    this.#hasSettled = true
  }

  reply(stream: number, status: 200 | 403 = 200): void {
    this.#write(HEADERS, END_STREAM | END_HEADERS, stream, Buffer.from(STATUS[status]))
  }

  /** The beginning of a reply with a body, of so many bytes where it says so. */
  begin(stream: number, length?: number): void {
    const digits = Buffer.from(String(length))
    const lines = length === undefined ? [] : [...CONTENT_LENGTH, digits.length, ...digits]
    this.#write(HEADERS, END_HEADERS, stream, Buffer.from([...STATUS[200], ...lines]))
  }

  /** The client has read all that was written before, and whatever it sent until then is here. */
  caughtUp(): Promise<void> {
    this.#write(PING, 0, 0, Buffer.alloc(8))
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  data(stream: number, text: string, isLast = false): void {
    this.#write(DATA, isLast ? END_STREAM : 0, stream, Buffer.from(text))
  }

  reset(stream: number, code: number): void {
    const payload = Buffer.alloc(4)
    payload.writeUInt32BE(code)
    this.#write(RST_STREAM, 0, stream, payload)
  }

  goaway(lastStream: number, code = 0, words = ''): void {
    const payload = Buffer.alloc(8)
    payload.writeUInt32BE(lastStream)
    payload.writeUInt32BE(code, 4)
    this.#write(GOAWAY, 0, 0, Buffer.concat([payload, Buffer.from(words)]))
  }

  #write(type: number, flags: number, stream: number, payload: Buffer): void {
    const head = Buffer.alloc(9)
    head.writeUIntBE(payload.length, 0, 3)
    head.writeUInt8(type, 3)
    head.writeUInt8(flags, 4)
    head.writeUInt32BE(stream, 5)
    this.socket.write(Buffer.concat([head, payload]))
  }

  #read(chunk: Buffer): void {
    if (this.isSilent) return
    this.#rest = Buffer.concat([this.#rest, chunk])
    if (!this.#isGreeted) {
      if (this.#rest.length < PREFACE.length) return
      this.#rest = this.#rest.subarray(PREFACE.length)
      this.#isGreeted = true
    }
    while (this.#rest.length >= 9) {
      const end = 9 + this.#rest.readUIntBE(0, 3)
      if (this.#rest.length < end) return
      const [type, flags] = [this.#rest.readUInt8(3), this.#rest.readUInt8(4)]
      const [stream, payload] = [this.#rest.readUInt32BE(5), this.#rest.subarray(9, end)]
      this.#rest = this.#rest.subarray(end)
      this.#take(type, flags, stream, payload)
    }
  }

  #take(type: number, flags: number, stream: number, payload: Buffer): void {
    if (type === SETTINGS && (flags & ACK) === 0 && this.#hasSettled) this.#write(SETTINGS, ACK, 0, Buffer.alloc(0))
    if (type === PING && (flags & ACK) !== 0) this.#waiting.shift()?.()
    if (type === PING && (flags & ACK) === 0) {
      this.pings += 1
      this.#write(PING, ACK, 0, payload)
    }
    if ((type === HEADERS || type === DATA) && (flags & END_STREAM) !== 0) {
      this.requests.push(stream)
      this.onRequest(stream)
    }
  }
}

/** Speaks HTTP/2 frame by frame, as badly as a test wants it. */
export const rawHttp2 = async (t: TestContext, onConnection: (connection: RawConnection, count: number) => void) => {
  const connections: RawConnection[] = []
  const server = createServer((socket) => {
    const connection = new RawConnection(socket)
    connections.push(connection)
    onConnection(connection, connections.length)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    for (const { socket } of connections) socket.destroy()
    server.close()
  })
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, connections }
}

/** Answers everything at once. */
export const welcome = (connection: RawConnection, streams?: number): void => {
  connection.onRequest = (stream) => connection.reply(stream)
  connection.settings(streams)
}
