import type { Overview } from '@carillon/protocol/console-answers.ts'
import type { Clock } from '../clock.ts'
import { type OverviewFigures, readOverview } from '../store/overview.ts'
import type { App } from '../store/scope.ts'
import type { Store } from '../store/store.ts'
import { alarmsOf } from './alarms.ts'
import { Looks } from './looks.ts'
import { minuteOf } from './pulse.ts'

const MINUTES = 60
const MINUTE_MS = 60_000
const CERTIFICATE_WARNING_MS = 30 * 86_400_000

interface Parts {
  store: Store
  clock: Clock
  /** Nodes that live. */
  alive(): readonly number[]
  lanes(app: number): Promise<Overview['lanes']>
  /** Why other nodes cannot be heard, and since when; undefined while they can. */
  deaf(): { why: string; since: number } | undefined
}

/** How an app is doing. */
export const overviews = (parts: Parts) => {
  const looks = new Looks<Overview>()
  return (app: App): Promise<Overview> => looks.get(app.id, () => read(parts, app, parts.clock.now()))
}

const read = async (parts: Parts, { id: app, settings }: App, now: number): Promise<Overview> => {
  const { store, alive, lanes, deaf } = parts
  const since = minuteOf(now) - MINUTES + 1
  const pushOff = !settings.push_enabled
  const [figures, shownLanes] = await Promise.all([
    store.read(readOverview, { app, nodes: alive(), since, endingBefore: now + CERTIFICATE_WARNING_MS, pushOff, now }),
    lanes(app),
  ])
  const { users, devices, online, minutes, queue } = figures
  const perMinute = perMinuteOf(minutes, since)
  return {
    at: now,
    pushes_per_minute: rateOf(perMinute, now),
    devices_online: online,
    devices,
    users,
    funnel: funnelOf(minutes),
    per_minute: perMinute,
    queue,
    lanes: shownLanes,
    alarms: alarmsOf({ figures, pushOff, lanes: shownLanes, deaf: deaf(), now }),
  }
}

type Minutes = OverviewFigures['minutes']

const funnelOf = (minutes: Minutes): Overview['funnel'] => {
  const funnel: Overview['funnel'] = {}
  for (const { channel, target, sent, received } of minutes) {
    if (channel === '') continue
    const tally = (funnel[channel] ??= { target: 0, sent: 0, received: 0 })
    tally.target += target
    tally.sent += sent
    tally.received += received
  }
  return funnel
}

/** All minutes of the hour, those without anything included; the last one is under way. */
const perMinuteOf = (minutes: Minutes, since: number): Overview['per_minute'] => {
  const nothing = { accepted: 0, sent: 0, received: 0 }
  const all = Array.from({ length: MINUTES }, (_, i) => ({ at: (since + i) * MINUTE_MS, ...nothing }))
  for (const { minute, accepted, sent, received } of minutes) {
    const counts = all[minute - since]
    if (!counts) continue // of a node whose clock is ahead
    counts.accepted += accepted
    counts.sent += sent
    counts.received += received
  }
  return all
}

/** Handed over in the last 60 seconds, as far as minutes tell: this one, and of the last one what is not over yet. */
const rateOf = (perMinute: Overview['per_minute'], now: number): number => {
  const [last, current] = [perMinute.at(-2)!, perMinute.at(-1)!]
  return Math.round(current.sent + last.sent * (1 - (now % MINUTE_MS) / MINUTE_MS))
}
