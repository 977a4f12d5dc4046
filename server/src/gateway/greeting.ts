import { randomUUID } from 'node:crypto'
import { greetings } from '../metrics.ts'
import type { Connection, Stage } from './connection.ts'
import type { Gate } from './gate.ts'
import { CONNECT, type Version } from './packet.ts'
import { connack, readConnect, readLevel, type Greeted } from './rare-packet.ts'
import { reason, returnCode, type Reason } from './reason.ts'
import { PACKET_LIMIT, RECEIPTS_AT_ONCE, Session } from './session.ts'
import type { Sessions } from './sessions.ts'

const GREETING_SECONDS = 10
export const GREETING_LIMIT = 16 * 1024

/** A connection nobody knows yet: one CONNECT within ten seconds and 16 KiB. */
export class Greeting implements Stage {
  readonly packetLimit = GREETING_LIMIT
  busy = false
  readonly #connection: Connection
  readonly #sessions: Sessions
  readonly #gate: Gate
  readonly #address: string

  constructor(connection: Connection, sessions: Sessions, gate: Gate, address: string) {
    this.#connection = connection
    this.#sessions = sessions
    this.#gate = gate
    this.#address = address
    connection.door.wheel.watch(connection, GREETING_SECONDS)
  }

  opensWith(first: number): boolean {
    return first === CONNECT
  }

  packet(data: Buffer, at: number, end: number): void {
    const level = readLevel(data, at, end)
    if (level < 4) return this.#refuse(4, returnCode.unsupportedProtocolVersion, 'protocol level below 4')
    if (level > 5) return this.#refuse(5, reason.unsupportedProtocolVersion, 'protocol level above 5')

    const greeted = readConnect(data.subarray(at, end), level as Version)
    const refusal = refusalOf(greeted)
    if (refusal !== undefined) return this.#refuse(greeted.version, ...refusal)
    this.busy = true
    this.#decide(greeted).catch((error: unknown) => {
      this.#connection.door.log.warn({ error }, 'a device could not be authenticated')
      const code = greeted.version === 5 ? reason.serverUnavailable : returnCode.serverUnavailable
      if (this.#stands()) this.#refuse(greeted.version, code, 'authentication failed')
    })
  }

  async #decide(greeted: Greeted): Promise<void> {
    const caller = await this.#sessions.authenticate(greeted.username, greeted.password)
    if (!this.#stands()) return
    if (caller === undefined) {
      return this.#refuse(
        greeted.version,
        greeted.version === 5 ? reason.notAuthorised : returnCode.notAuthorised,
        'credentials not accepted',
      )
    }
    this.#leave('accepted')
    const connection = this.#connection
    connection.wire.write(accepting(greeted))
    const session = new Session(connection, this.#sessions, caller, greeted)
    this.#sessions.enter(session)
    connection.become(session)
  }

  /** Still the stage of a living connection, after something was waited for. */
  #stands(): boolean {
    return this.#connection.stage === this
  }

  #refuse(version: Version, code: number, why: string): void {
    this.#connection.door.log.info({ address: this.#address, why }, 'connection refused')
    this.#leave('refused')
    this.#connection.end(connack(version, code, {}))
  }

  violated(_code: Reason, why: string): void {
    this.#connection.door.log.debug({ address: this.#address, why }, 'greeting broken off')
    this.#leave('broken')
    this.#connection.stage = undefined
    this.#connection.wire.destroy() // nothing may be said before its version is known
  }

  closed(): void {
    this.#leave('broken')
  }

  #leave(outcome: keyof typeof greetings): void {
    greetings[outcome].value += 1
    this.#gate.leave(this.#address)
  }

  stalled(): void {}

  drained(): void {}

  look(): void {
    this.violated(reason.unspecified, 'no CONNECT in time')
  }
}

/** What can be refused without asking who it is, as code and words. */
const refusalOf = (greeted: Greeted): [code: number, why: string] | undefined => {
  const v5 = greeted.version === 5
  if (greeted.enhancedAuthentication) return [reason.badAuthenticationMethod, 'authentication method']
  if (greeted.clientId === '' && !greeted.clean && !v5) return [returnCode.identifierRejected, 'no client id']
  if (greeted.username === '' || greeted.password === '') {
    return [v5 ? reason.badCredentials : returnCode.badCredentials, 'user name or password missing']
  }
  // Nobody listens to devices but the house, and it notices by itself when one goes.
  if (greeted.will) return [v5 ? reason.notAuthorised : returnCode.notAuthorised, 'a will']
  return undefined
}

const accepting = (greeted: Greeted): Buffer =>
  connack(greeted.version, returnCode.accepted, {
    receiveMaximum: RECEIPTS_AT_ONCE,
    maximumQoS: 1,
    retainAvailable: false,
    maximumPacketSize: PACKET_LIMIT,
    wildcardSubscriptionAvailable: false,
    subscriptionIdentifiersAvailable: false,
    sharedSubscriptionAvailable: false,
    // What waits for a device is kept in its inbox, not in a session: none outlives its connection.
    ...(greeted.asksSessionExpiry ? { sessionExpiryInterval: 0 } : {}),
    ...(greeted.clientId === '' ? { assignedClientIdentifier: randomUUID() } : {}),
  })
