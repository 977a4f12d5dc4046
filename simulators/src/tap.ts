import { Duplex } from 'node:stream'
import type { Socket } from 'node:net'
import { SchemeMender } from './scheme.ts'

/**
 * Stands between a socket and its HTTP/2 session: a session reads its socket past every pause, and a frozen connection
 * must not even acknowledge pings. Measured, it costs nothing.
 */
export class Tap extends Duplex {
  readonly #socket: Socket
  readonly #mender = new SchemeMender()
  #deaf = false
  #mute = false

  constructor(socket: Socket) {
    super()
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => {
      if (this.#deaf) return
      for (const piece of this.#mender.through(chunk)) if (!this.push(piece)) socket.pause()
    })
    socket.on('end', () => this.push(null))
    socket.on('error', () => this.destroy())
    socket.on('close', () => this.destroy())
  }

  /** Hears nothing from now on. Answers given in this turn are written at its end: they still get out. */
  freeze(): void {
    this.#deaf = true
    setImmediate(() => setImmediate(() => (this.#mute = true)))
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    if (this.#mute) done()
    else this.#socket.write(chunk, done)
  }

  override _writev(pieces: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this._write(Buffer.concat(pieces.map(({ chunk }) => chunk)), '', done)
  }

  override _final(done: () => void): void {
    if (!this.#mute) this.#socket.end()
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy()
    done(error)
  }
}
