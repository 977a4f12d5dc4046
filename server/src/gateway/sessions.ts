import { setTimeout } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import { sessionsClosed, sessionsOpened } from '../metrics.ts'
import type { Outcome, Push, Target } from '../push/channel.ts'
import { EncodedPushes } from './encode.ts'
import type { Home, Live } from './live.ts'
import type { DeviceCaller, GatewayPorts } from './ports.ts'
import { reason, type Reason } from './reason.ts'

// A node takes a hundred devices in a moment; more of them come in steps.
const CLOSE_STEP = 100
const CLOSE_STEP_MS = 50

// By a profile: most of a write is the kernel's way through TCP.
const COST_OF_A_WRITE = 3

const AWAY: Outcome = { kind: 'away' }

/** What one task has for many devices, on its way to their sessions. */
export interface Page {
  push: Push
  batchId: number
  /** By ascending device id. */
  targets: readonly Target[]
  /** One per target that was handed over so far. */
  outcomes: Outcome[]
}

/** Who is here: one session a device. */
export class Sessions implements Home {
  readonly ports: GatewayPorts
  readonly clock: Clock
  readonly pushes = new EncodedPushes()
  /** Counts calls that end sessions, for connections that are being let in at that moment. */
  revocations = 0
  /** Devices that are here, by app: connected and subscribed. */
  readonly online = new Map<number, number>()
  readonly #byDevice = new Map<number, Live>()

  constructor(ports: GatewayPorts, clock: Clock) {
    this.ports = ports
    this.clock = clock
  }

  get count(): number {
    return this.#byDevice.size
  }

  present(appId: number, change: 1 | -1): void {
    this.online.set(appId, (this.online.get(appId) ?? 0) + change)
  }

  /** Asked again if something was revoked meanwhile: the session that would have been closed did not exist yet. */
  async authenticate(pushToken: string, accessToken: string): Promise<DeviceCaller | undefined> {
    for (;;) {
      const { revocations } = this
      const caller = await this.ports.authenticate(pushToken, accessToken)
      if (caller === undefined || revocations === this.revocations) return caller
    }
  }

  /** A new session takes the place of the device's older one. */
  enter(session: Live): void {
    sessionsOpened.of(session.protocol).value += 1
    const { deviceId } = session.caller
    this.#byDevice.get(deviceId)?.end(reason.takenOver, 'taken over by a newer connection')
    this.#byDevice.set(deviceId, session)
  }

  leave(session: Live, why: string): void {
    sessionsClosed.of(why).value += 1
    const { deviceId } = session.caller
    if (this.#byDevice.get(deviceId) === session) this.#byDevice.delete(deviceId)
  }

  /**
   * One outcome per target, in their order. Once a `queued` one is stored in the inbox, `wake` must be called:
   * the session may have read the inbox in between.
   */
  hand(push: Push, batchId: number, targets: readonly Target[]): Outcome[] {
    const encoded = this.pushes.of(push)
    encoded.stamp(this.clock.now())
    const outcomes: Outcome[] = new Array(targets.length)
    for (let i = 0; i < targets.length; i += 1) {
      const target = targets[i]!
      outcomes[i] = this.#byDevice.get(target.deviceId)?.hand(encoded, push, batchId, target) ?? AWAY
    }
    return outcomes
  }

  /** The same for pages side by side, from the lowest device on, as far as `cost` goes: a push costs 1, a write 3. */
  handPages(pages: readonly Page[], cost: number): void {
    const parts = pages.map((page) => ({ ...page, encoded: this.pushes.of(page.push) }))
    for (const { encoded } of parts) encoded.stamp(this.clock.now())
    for (let left = cost; left > 0; left -= COST_OF_A_WRITE) {
      const deviceId = lowestNext(parts)
      if (deviceId === Infinity) return
      const session = this.#byDevice.get(deviceId)
      session?.connection.wire.cork()
      try {
        for (const { encoded, push, batchId, targets, outcomes } of parts) {
          const target = targets[outcomes.length]
          if (target?.deviceId !== deviceId) continue
          outcomes.push(session?.hand(encoded, push, batchId, target) ?? AWAY)
          left -= 1
        }
      } finally {
        session?.connection.wire.uncork()
      }
    }
  }

  /** The device's inbox has something. */
  wake(deviceId: number): void {
    this.#byDevice.get(deviceId)?.wake()
  }

  /** A push was not acknowledged in time: the device counts as away until its connection brings anything. */
  timedOut(deviceId: number, taskId: number): void {
    this.#byDevice.get(deviceId)?.timedOut(taskId)
  }

  /** The device said by other means than its connection that it has this one. True when it was in the air here. */
  acknowledged(deviceId: number, taskId: number): boolean {
    return this.#byDevice.get(deviceId)?.acknowledged(taskId) ?? false
  }

  /** The number of each device's session. */
  get numbers(): Map<number, number> {
    return new Map(Array.from(this.#byDevice, ([deviceId, { number }]) => [deviceId, number]))
  }

  /** Every inbox may have something. */
  wakeAll(): void {
    for (const session of this.#byDevice.values()) session.wake()
  }

  /** The device has connected to another node. A session it has opened here since then stays. */
  closeMoved(deviceId: number, number: number): void {
    const session = this.#byDevice.get(deviceId)
    if (session?.number === number) session.end(reason.takenOver, 'taken over by a newer connection')
  }

  /** The device was removed, or is another user's now. */
  closeDevice(deviceId: number, why: string): void {
    this.revocations += 1
    this.#byDevice.get(deviceId)?.end(reason.administrative, why)
  }

  /** The access token ended. */
  closeToken(tokenId: number): void {
    this.#close(reason.notAuthorised, 'its access token has ended', (session) => session.caller.tokenId === tokenId)
  }

  /** The user was disabled, deleted or kicked. */
  closeUser(userId: number): void {
    this.#close(reason.administrative, 'its user was signed out', (session) => session.caller.userId === userId)
  }

  /** Every one of them within `overMs`, in equal steps. */
  async closeAll(overMs: number): Promise<void> {
    const sessions = [...this.#byDevice.values()]
    const steps = Math.max(1, Math.min(Math.floor(overMs / CLOSE_STEP_MS), Math.ceil(sessions.length / CLOSE_STEP)))
    const each = Math.ceil(sessions.length / steps)
    for (let at = 0; at < sessions.length; at += each) {
      if (at > 0) await setTimeout(CLOSE_STEP_MS)
      for (const session of sessions.slice(at, at + each)) session.end(reason.shuttingDown, 'shutting down')
    }
    this.#close(reason.shuttingDown, 'shutting down', () => true) // who was let in meanwhile
  }

  #close(code: Reason, why: string, which: (session: Live) => boolean): void {
    this.revocations += 1
    for (const session of this.#byDevice.values()) if (which(session)) session.end(code, why)
  }
}

/** The device that comes next, of all pages. */
const lowestNext = (pages: readonly Page[]): number => {
  let lowest = Infinity
  for (const { targets, outcomes } of pages) {
    const target = targets[outcomes.length]
    if (target !== undefined && target.deviceId < lowest) lowest = target.deviceId
  }
  return lowest
}
