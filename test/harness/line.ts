import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import type { Envelope } from './api.ts'

const HEAD_END = Buffer.from('\r\n\r\n')

/** A kept HTTP connection that costs little: requests are bytes, and of an answer only its envelope is read. */
export class Line {
  readonly #socket: Socket
  readonly #awaited: ((envelope: Envelope) => void)[] = []
  #read: Buffer = Buffer.alloc(0)

  constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => this.#take(chunk))
  }

  /** One after the other without waiting; the answers, in the same order. */
  ask(requests: readonly Buffer[]): Promise<Envelope[]> {
    const answers = requests.map(() => {
      const { promise, resolve } = Promise.withResolvers<Envelope>()
      this.#awaited.push(resolve)
      return promise
    })
    this.#socket.write(Buffer.concat(requests))
    return Promise.all(answers)
  }

  #take(chunk: Buffer): void {
    this.#read = this.#read.length === 0 ? chunk : Buffer.concat([this.#read, chunk])
    for (;;) {
      const head = this.#read.indexOf(HEAD_END)
      if (head < 0) return
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(this.#read.toString('latin1', 0, head))?.[1])
      const [from, to] = [head + HEAD_END.length, head + HEAD_END.length + length]
      if (this.#read.length < to) return
      this.#awaited.shift()!(JSON.parse(this.#read.toString('utf8', from, to)) as Envelope)
      this.#read = this.#read.subarray(to)
    }
  }
}

export const openLine = async (t: { after(work: () => unknown): void }, port: number): Promise<Line> => {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true })
  t.after(() => socket.destroy())
  await once(socket, 'connect')
  return new Line(socket)
}

/** A notification as it stands on the wire. */
export const notifyBytes = (admin: string, notify: unknown): Buffer => {
  const body = Buffer.from(JSON.stringify(notify))
  const head = ['POST /push/notify HTTP/1.1', 'host: carillon', 'app_id: demo', `access-token: ${admin}`, 'content-type: application/json', `content-length: ${body.length}`]
  return Buffer.concat([Buffer.from(head.join('\r\n')), HEAD_END, body])
}
