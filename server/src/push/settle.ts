import { groundsIn, plainly } from '@carillon/protocol/sentences/reasons.ts'
import type { LogEntry } from '../store/batch-log.ts'
import type { Change } from '../store/settlement.ts'
import type { Outcome, Target } from './channel.ts'
import { QUEUED_ATTEMPTS, UNKNOWN_ATTEMPTS, backoffMs } from './retry.ts'

/** What the outcomes of one handing over mean for the batch. */
export interface Sorted {
  changes: Change[]
  /** Places that go on to the next channel, with the state they leave behind here. */
  onward: { index: number; state: 'moved' | 'dead' | 'refused' }[]
  /** Places of devices that are here but busy. */
  queued: number[]
  /** When what stays pending is due again; null when only acknowledgements are awaited, or nothing. */
  dueAt: number | null
  log: LogEntry[]
}

/** Pure: one line per kind of outcome, as the path's other steps read it. */
export const sortOutcomes = (
  targets: readonly Target[],
  outcomes: readonly Outcome[],
  { attempt, now, chance }: { attempt: number; now: number; chance: number },
): Sorted => {
  const sorted: Sorted = { changes: [], onward: [], queued: [], dueAt: null, log: [] }
  const due = (at: number): void => {
    sorted.dueAt = sorted.dueAt === null ? at : Math.min(sorted.dueAt, at)
  }
  targets.forEach(({ index }, i) => {
    const outcome = outcomes[i] ?? { kind: 'unknown' as const, ...plainly('unmentioned') }
    switch (outcome.kind) {
      case 'sent':
        sorted.changes.push({ index, state: 'done', sent: true })
        break
      case 'written':
        break
      case 'queued':
        // A device that stays too busy for its own inbox is as good as away.
        if (attempt < QUEUED_ATTEMPTS) sorted.queued.push(index)
        else sorted.onward.push({ index, state: 'moved' })
        break
      case 'away':
        sorted.onward.push({ index, state: 'moved' })
        break
      case 'dead':
      case 'refused':
        sorted.onward.push({ index, state: outcome.kind })
        break
      case 'later':
      case 'denied':
      case 'lost':
        due(outcome.at)
        break
      case 'unknown':
        if (attempt < UNKNOWN_ATTEMPTS) due(now + backoffMs(attempt, chance))
        else sorted.onward.push({ index, state: 'refused' })
    }
  })
  sorted.log = logOf(targets, outcomes, now)
  return sorted
}

const PLACES_KEPT = 50

/** Groups of outcomes; the largest group needs no list of its places: it is everybody not named by another. */
const logOf = (targets: readonly Target[], outcomes: readonly Outcome[], now: number): LogEntry[] => {
  const groups = new Map<string, LogEntry & { places: number[] }>()
  outcomes.forEach((outcome, i) => {
    if (outcome.kind === 'written' || outcome.kind === 'sent') return // the tally's own marks tell of these
    const grounds = 'why' in outcome && outcome.why ? groundsIn(outcome) : undefined
    const key = `${outcome.kind} ${grounds?.why}`
    const group = groups.get(key) ?? { at: now, what: outcome.kind, count: 0, places: [], ...grounds }
    group.count++
    if (group.places.length < PLACES_KEPT) group.places.push(targets[i]!.index)
    groups.set(key, group)
  })
  return [...groups.values()].map((group) =>
    group.count === targets.length || group.count > PLACES_KEPT ? { ...group, places: undefined } : group,
  )
}
