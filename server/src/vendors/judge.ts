import type { Grounds } from '@carillon/protocol/sentences/reasons.ts'
import type { Outcome } from '../push/channel.ts'
import { DENIED_MS } from '../push/retry.ts'
import type { DeadToken } from '../store/quarantine.ts'
import { groundsOf } from './grounds.ts'
import { nextDay } from './next-day.ts'
import type { Address, Verdict } from './vendor.ts'

/** An address with its place in the round. */
export interface Placed extends Address {
  place: number
  index: number
}

/** How a request differs from the first one for the same addresses. */
export interface Attempt {
  variant: string
  renewed: boolean
  unknowns: number
  /** The most addresses of one request. */
  batch: number
}

/** Addresses to be asked for once more. */
export interface Again {
  addresses: Placed[]
  attempt: Attempt
  waitMs: number
}

/** What an answer's times are reckoned by. */
interface Times {
  now: number
  /** When the push began: a token that was bound since is not the one that is called dead. */
  asOf: number
  /** What the answer asks for: nothing comes sooner, whatever else it says. */
  retryAfterMs: number | undefined
  /** What too fast waits for where the vendor does not say. */
  limitedMs: number
  /** When to come back to a vendor that has trouble. */
  downUntil: number
}

/** What an answer means. */
export interface Judgement {
  /** One for each address; what the vendor left out counts as unknown. */
  answers: readonly Verdict[]
  /** Of those that are not asked for once more. */
  outcomes: { address: Placed; outcome: Outcome }[]
  again: Again[]
  /** Devices to be left alone until then. */
  rests: { deviceId: number; until: number }[]
  dead: DeadToken[]
  /** How many it says anything of their token. */
  heard: number
  /** Why, for each that was unknown once too often. */
  givenUp: string[]
  /** What concerns the lane, and until when it takes nothing. */
  whole: Map<'denied' | 'limited' | 'exhausted' | 'down', { until: number; grounds: Grounds }>
}

const UNMENTIONED: Verdict = { kind: 'unknown', why: 'the answer says nothing of it' }
const UNKNOWN_TRIES = 3
const UNKNOWN_PAUSE_MS = 500

/** Reads the verdicts on one request: for each address an outcome or another request, for the lane a pause or nothing. */
export const judge = (
  addresses: readonly Placed[],
  attempt: Attempt,
  verdicts: readonly Verdict[],
  { now, asOf, retryAfterMs, limitedMs, downUntil }: Times,
): Judgement => {
  const answers = addresses.map((_, i) => verdicts[i] ?? UNMENTIONED)
  const outcomes: Judgement['outcomes'] = []
  const rests: Judgement['rests'] = []
  const dead: DeadToken[] = []
  const givenUp: string[] = []
  const whole: Judgement['whole'] = new Map()
  const again = new Map<string, Again>()
  let heard = 0

  const set = (address: Placed, outcome: Outcome): void => void outcomes.push({ address, outcome })
  addresses.forEach((address, i) => {
    const verdict = answers[i]!
    const asked = retryAfterMs ?? verdict.retryAfterMs ?? 0
    const rest = (until: number): void => {
      if (asked > 0) rests.push({ deviceId: address.deviceId, until })
    }
    const repeat = (next: Attempt, pauseMs = 0): void => {
      rest(now + asked)
      const key = `${next.variant} ${next.renewed} ${next.unknowns}`
      const group = again.get(key) ?? { addresses: [], attempt: next, waitMs: 0 }
      group.addresses.push(address)
      group.waitMs = Math.max(group.waitMs, asked, pauseMs)
      again.set(key, group)
    }
    const deny = (grounds: Grounds): void => {
      const at = now + Math.max(asked, DENIED_MS)
      whole.set('denied', { until: at, grounds })
      set(address, { kind: 'denied', ...grounds, at })
    }
    switch (verdict.kind) {
      case 'sent':
        heard += 1
        return set(address, verdict)
      case 'dead':
        heard += 1
        dead.push({ deviceId: address.deviceId, token: address.token, before: verdict.since ?? asOf })
        return set(address, { kind: 'dead', ...groundsOf(verdict) })
      case 'refused':
        heard += 1
        return set(address, { kind: 'refused', ...groundsOf(verdict) })
      case 'denied':
        return deny(groundsOf(verdict))
      case 'renew':
        return attempt.renewed ? deny(groundsOf(verdict)) : repeat({ ...attempt, renewed: true })
      case 'adapt': {
        const { variant, batch = attempt.batch } = verdict
        if (attempt.variant !== variant) return repeat({ ...attempt, variant, batch })
        rest(now + asked)
        return set(address, { kind: 'refused', ...groundsOf(verdict) })
      }
      case 'unknown': {
        const { unknowns } = attempt
        if (unknowns < UNKNOWN_TRIES) return repeat({ ...attempt, unknowns: unknowns + 1 }, UNKNOWN_PAUSE_MS * 2 ** unknowns)
        givenUp.push(verdict.why)
        rest(now + asked)
        return set(address, { kind: 'refused', ...groundsOf(verdict) })
      }
      case 'limited':
      case 'exhausted': {
        const grounds = groundsOf(verdict)
        const until = verdict.kind === 'limited' ? now + (asked || verdict.waitMs || limitedMs) : Math.max(now + asked, nextDay(now))
        if (verdict.alone) rest(until)
        else whole.set(verdict.kind, { until, grounds })
        return set(address, { kind: 'later', ...grounds, at: until })
      }
      case 'down':
        whole.set('down', { until: now + asked, grounds: groundsOf(verdict) })
        return set(address, { kind: 'later', ...groundsOf(verdict), at: Math.max(now + asked, downUntil) })
    }
  })
  return { answers, outcomes, again: [...again.values()], rests, dead, heard, givenUp, whole }
}
