import { storeCommitSeconds, storeGroupCalls, storeGroups, storeUnavailable } from '../../metrics.ts'
import { type Op, StoreUnavailable } from '../store.ts'
import { Failure } from './failure.ts'
import type { Connections } from './pool.ts'
import type { Session } from './session.ts'
import { Neighbour, Turn } from './turn.ts'

const CALLS_PER_GROUP = 32
const TRIES = 10

// A group holds its calls' locks until the last of them is done, in no order: two groups may wait for one another. They
// notice long before the server would (its deadlock_timeout is 1 s), and for a while such calls go one by one: a single
// call takes its locks in order.
const GROUP_LOCK_MS = 50
const ALONE_MS = 10_000

const BEGIN = 'BEGIN'
const BEGIN_GROUP = `BEGIN; SET LOCAL lock_timeout = ${GROUP_LOCK_MS}`

export interface Call {
  op: Op<unknown, unknown>
  args: unknown
  resolve(value: unknown): void
  reject(error: Error): void
  /** How often it was begun on a connection that was then lost, and nothing happened. */
  lost?: number
}

/**
 * Writes on their way into transactions. Every call gets a connection if one is free; while none is, calls of one
 * operation gather and are committed together. READ COMMITTED with the locks the statements ask for, so a call that
 * another transaction got in the way of is simply run again.
 */
export class Groups {
  readonly #connections: Connections
  readonly #most: number
  readonly #waiting = new Map<Call['op'], Call[]>()
  readonly #running = new Map<Call['op'], number>()
  readonly #aloneUntil = new Map<Call['op'], number>()
  #underWay = 0
  #dispatching = false
  #onIdle: (() => void) | undefined

  constructor(connections: Connections, most: number) {
    this.#connections = connections
    this.#most = most
  }

  /** How many calls wait for a connection. */
  get waiting(): number {
    let sum = 0
    for (const calls of this.#waiting.values()) sum += calls.length
    return sum
  }

  add(call: Call): void {
    const calls = this.#waiting.get(call.op)
    if (calls) calls.push(call)
    else this.#waiting.set(call.op, [call])
    if (this.#dispatching) return
    this.#dispatching = true
    setImmediate(() => {
      this.#dispatching = false
      this.#dispatch()
    })
  }

  async idle(): Promise<void> {
    if (this.#waiting.size > 0 || this.#underWay > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve))
  }

  /** Operations take turns, and none takes more than half of the connections: accepting does not keep settling waiting. */
  #dispatch(): void {
    const half = Math.max(1, Math.floor(this.#most / 2))
    for (const [op, calls] of this.#waiting) {
      if (this.#underWay === this.#most) return
      const running = this.#running.get(op) ?? 0
      if (running >= half) continue
      const alone = (this.#aloneUntil.get(op) ?? 0) > performance.now()
      const group = calls.splice(0, alone ? 1 : CALLS_PER_GROUP)
      this.#waiting.delete(op)
      if (calls.length > 0) this.#waiting.set(op, calls) // at the end of the line: the loop comes to it again
      this.#running.set(op, running + 1)
      this.#underWay += 1
      void this.#run(op, group)
    }
  }

  async #run(op: Call['op'], calls: Call[]): Promise<void> {
    const startedAt = performance.now()
    let answered = 0
    try {
      const session = await this.#connections.session()
      try {
        if (await this.#together(session, calls)) answered = calls.length
        for (; answered < calls.length; answered += 1) await this.#alone(session, calls[answered]!)
      } finally {
        session.release()
      }
    } catch (error) {
      for (const call of calls.slice(answered)) this.#again(call, error)
    }
    storeGroups.value += 1
    storeGroupCalls.observe(calls.length)
    storeCommitSeconds.observe((performance.now() - startedAt) / 1_000)
    const running = this.#running.get(op)! - 1
    if (running === 0) this.#running.delete(op)
    else this.#running.set(op, running)
    this.#underWay -= 1
    this.#dispatch()
    if (this.#underWay === 0 && this.#waiting.size === 0) this.#onIdle?.()
  }

  /** On another connection, where it is known that nothing happened on the lost one. */
  #again(call: Call, error: unknown): void {
    call.lost = (call.lost ?? 0) + 1
    if (error instanceof Failure && error.kind === 'again' && call.lost < TRIES) this.add(call)
    else refuse(call, error)
  }

  /** False, and nothing happened, when one of them failed: then each is run by itself, and hurts nobody but itself. */
  async #together(session: Session, calls: Call[]): Promise<boolean> {
    if (calls.length === 1) return false
    try {
      const turn = new Turn()
      const results = await session.transaction(BEGIN_GROUP, () => allOf(calls.map((call) => perform(call, new Neighbour(session, turn)))))
      calls.forEach(({ resolve }, i) => resolve(results[i]))
      return true
    } catch (error) {
      if (error instanceof Failure && error.broken) throw error
      const { op } = calls[0]!
      if (error instanceof Failure && (error.kind === 'crossed' || error.kind === 'again')) this.#aloneUntil.set(op, performance.now() + ALONE_MS)
      return false
    }
  }

  async #alone(session: Session, call: Call): Promise<void> {
    for (let left = TRIES - 1; ; left -= 1) {
      try {
        return call.resolve(await session.transaction(BEGIN, () => call.op(session, call.args)))
      } catch (error) {
        if (error instanceof Failure && error.broken) throw error
        if (error instanceof Failure && error.kind === 'again' && left > 0) continue
        return refuse(call, error)
      }
    }
  }
}

const perform = async ({ op, args }: Call, tx: Neighbour): Promise<unknown> => {
  try {
    return await op(tx, args)
  } finally {
    await tx.leave()
  }
}

/** Like Promise.all, but nobody is still at work when it rejects; with what came first, the rest being its consequences. */
const allOf = async (promises: Promise<unknown>[]): Promise<unknown[]> => {
  const failures: unknown[] = []
  const results = await Promise.all(promises.map((promise) => promise.catch((error: unknown) => void failures.push(error))))
  if (failures.length > 0) throw failures[0]
  return results
}

const refuse = ({ op, reject }: Call, error: unknown): void => {
  if (error instanceof StoreUnavailable) {
    storeUnavailable.value += 1
    return reject(error)
  }
  const message = `${op.name}: ${error instanceof Error ? error.message : String(error)}`
  if (error instanceof Failure && error.kind !== 'surprise') {
    storeUnavailable.value += 1
    return reject(new StoreUnavailable(message, { cause: error }))
  }
  reject(new Error(message, { cause: error }))
}
