import type { Clock } from '../clock.ts'
import { greetings } from '../metrics.ts'
import { Connection, type Door, type Log, type Wire } from './connection.ts'
import { Gate } from './gate.ts'
import { Greeting } from './greeting.ts'
import type { DeviceCaller, GatewayPorts } from './ports.ts'
import { Sessions } from './sessions.ts'
import { StreamSession } from './stream-session.ts'
import { Wheel } from './wheel.ts'

export interface GatewayOptions {
  ports: GatewayPorts
  log: Log
  clock: Clock
  /** Connections of one address that have not shown yet who they are. */
  greetingsPerAddress: number
}

const CLOSE_MS = 2000

/** The door for devices. Listeners bring it wires; it makes sessions of them. */
export class Gateway implements Door {
  readonly sessions: Sessions
  readonly wheel = new Wheel()
  readonly log: Log
  readonly #gate: Gate
  readonly #connections = new Set<Connection>()
  #emptied: (() => void) | undefined

  constructor({ ports, log, clock, greetingsPerAddress }: GatewayOptions) {
    this.log = log
    this.sessions = new Sessions(ports, clock)
    this.#gate = new Gate(greetingsPerAddress)
    this.wheel.start()
  }

  /** False: closing, or too many unknown connections of that address. */
  admits(address: string): boolean {
    const admitted = !this.closing && this.#gate.admits(address)
    if (!admitted) greetings['turned away'].value += 1
    return admitted
  }

  /** undefined: not admitted; the wire is the caller's to close. */
  accept(wire: Wire, address: string): Connection | undefined {
    if (!this.admits(address)) return undefined
    this.#gate.enter(address)
    const connection = new Connection(wire, this)
    connection.stage = new Greeting(connection, this.sessions, this.#gate, address)
    this.#connections.add(connection)
    return connection
  }

  get closing(): boolean {
    return this.#emptied !== undefined
  }

  /** A device that has shown who it is before its wire was there. */
  stream(wire: Wire, caller: DeviceCaller, qos: 0 | 1): Connection {
    const connection = new Connection(wire, this)
    this.#connections.add(connection)
    const session = new StreamSession(connection, this.sessions, caller)
    this.sessions.enter(session)
    connection.become(session)
    session.begin(qos)
    return connection
  }

  closed(connection: Connection): void {
    this.#connections.delete(connection)
    if (this.#connections.size === 0) this.#emptied?.()
  }

  /**
   * Says good-bye to all sessions and waits a moment for them to go. Listeners are closed before. `overMs`: within this
   * time, one after the other, so that the nodes they go to are not all asked at once.
   */
  async close(overMs = 0): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#emptied = resolve
    await this.sessions.closeAll(overMs)
    for (const connection of this.#connections) if (connection.stage !== undefined) connection.wire.destroy()
    const timer = setTimeout(() => {
      for (const connection of this.#connections) connection.wire.destroy()
    }, CLOSE_MS)
    if (this.#connections.size > 0) await promise
    clearTimeout(timer)
    this.wheel.stop()
  }
}
