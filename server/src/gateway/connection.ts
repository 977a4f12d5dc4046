import { packetLength } from './packet.ts'
import { reason, Violation, type Reason } from './reason.ts'
import type { Watched, Wheel } from './wheel.ts'

/** What a connection needs of the thing that carries it. A TCP socket is one as it is. */
export interface Wire {
  /** Bytes taken from us and not yet by the network. */
  readonly writableLength: number
  write(bytes: Buffer): unknown
  cork(): void
  uncork(): void
  pause(): unknown
  resume(): unknown
  end(): unknown
  destroy(): unknown
}

export interface Log {
  debug(fields: object, text: string): void
  info(fields: object, text: string): void
  warn(fields: object, text: string): void
}

/** What a connection is at the moment: greeting, then a session. After the last one it only waits to be closed. */
export interface Stage {
  /** The longest packet it takes. */
  readonly packetLimit: number
  /** It is deciding about what it has read; the next packet has to wait. */
  readonly busy: boolean
  /** Whether a packet may begin so, asked before the rest of it is waited for. */
  opensWith(first: number): boolean
  packet(data: Buffer, at: number, end: number): void
  /** The client broke the protocol, or handling it failed: says so where it can and ends the connection. */
  violated(code: Reason, why: string): void
  /** The wire is closed, or will be; nothing can be sent any more. */
  closed(): void
  /** More was written than the client reads. */
  stalled(): void
  drained(): void
  look(): void
}

/** The house a connection stands in. */
export interface Door {
  readonly wheel: Wheel
  readonly log: Log
  closed(connection: Connection): void
}

/** Above this much unread, a client gets no new pushes and is not read either. */
export const WRITE_LIMIT = 256 * 1024
const FAREWELL_SECONDS = 3

/** Bytes in, packets out, for as long as the wire is there. Bytes are kept only while a packet is incomplete. */
export class Connection implements Watched {
  readonly wire: Wire
  readonly door: Door
  stage: Stage | undefined
  dueAt = 0
  #partial: Buffer | undefined

  constructor(wire: Wire, door: Door) {
    this.wire = wire
    this.door = door
  }

  bytes(chunk: Buffer): void {
    const data = this.#partial === undefined ? chunk : Buffer.concat([this.#partial, chunk])
    this.#partial = undefined
    try {
      const end = this.#packet(data, 0)
      if (end > 0 && end < data.length) this.#morePackets(data, end)
      else if (end === 0) this.#keep(data, 0)
    } catch (error) {
      this.#broken(error)
    }
    if (this.stage !== undefined && this.wire.writableLength > WRITE_LIMIT) {
      // It sends and does not read the answers.
      this.wire.pause()
      this.stage.stalled()
    }
  }

  /** The answers to several packets go out as one write. */
  #morePackets(data: Buffer, start: number): void {
    this.wire.cork()
    try {
      let at = start
      for (let end = at; at < data.length && end > 0; ) {
        end = this.#packet(data, at)
        if (end === 0) this.#keep(data, at)
        else at = end
      }
    } finally {
      this.wire.uncork()
    }
  }

  /** Returns where the packet ends; 0: it has to wait, for its rest or for the stage. */
  #packet(data: Buffer, at: number): number {
    const { stage } = this
    if (stage === undefined || at === data.length || stage.busy) return 0
    if (!stage.opensWith(data[at]!)) throw new Violation(reason.protocolError, `a packet that begins with ${data[at]}`)
    const length = packetLength(data, at)
    if (length > stage.packetLimit) throw new Violation(reason.packetTooLarge, `a packet of ${length} bytes`)
    if (length === 0 || at + length > data.length) return 0
    stage.packet(data, at, at + length)
    return at + length
  }

  #keep(data: Buffer, at: number): void {
    if (this.stage === undefined || at === data.length) return // said good-bye: what still comes is dropped
    // A packet is shorter than this; more can only be what a client sends ahead while it is being let in.
    if (data.length - at > this.stage.packetLimit) throw new Violation(reason.packetTooLarge, 'too much sent ahead')
    this.#partial = Buffer.from(data.subarray(at))
  }

  #broken(error: unknown): void {
    if (error instanceof Violation) {
      this.stage?.violated(error.reason, error.message)
    } else {
      this.door.log.warn({ error }, 'a packet could not be handled')
      this.stage?.violated(reason.unspecified, 'a packet could not be handled')
    }
  }

  /** The next stage; what the client sent ahead is read by it. */
  become(stage: Stage): void {
    this.stage = stage
    if (this.#partial !== undefined) this.bytes(Buffer.alloc(0))
  }

  /** Says a last word, if there is one, and closes; a client that does not close its side is not waited for long. */
  end(farewell?: Buffer): void {
    this.stage = undefined
    this.#partial = undefined
    if (farewell !== undefined) this.wire.write(farewell)
    this.wire.end()
    this.wire.resume()
    this.door.wheel.forget(this)
    this.door.wheel.watch(this, FAREWELL_SECONDS)
  }

  /** The wire's own event. */
  closed(): void {
    const { stage } = this
    this.stage = undefined
    this.#partial = undefined
    this.door.wheel.forget(this)
    stage?.closed()
    this.door.closed(this)
  }

  /** The wire's own event: everything written was taken. */
  drained(): void {
    this.wire.resume()
    this.stage?.drained()
  }

  look(): void {
    if (this.stage === undefined) this.wire.destroy()
    else this.stage.look()
  }
}
