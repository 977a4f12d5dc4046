import { type ChannelName, ownChannel } from '@carillon/protocol/names.ts'
import type { PlainReason } from '@carillon/protocol/sentences/reasons.ts'
import { type AudienceDevice, type UsableToken, usableTokens } from '../store/audience.ts'
import type { NewBatch } from '../store/batches.ts'
import type { DeliveryState } from '../store/ledger.ts'
import type { Tx } from '../store/store.ts'
import type { Road } from './channel.ts'
import { type QuietHours, quietUntil } from './quiet.ts'
import { type Direction, type Plan, route } from './route.ts'

/** Where and when a page is planned. */
export interface Here {
  /** This node's incarnation, those that live, and whether there can be others at all. */
  node: number
  alive: readonly number[]
  alone: boolean
  /** How long an own-channel push may go unacknowledged before the next road is taken. */
  ackMs: number
  now: number
}

const DEVICES_A_BATCH = 1_000
/** As far as nodes' clocks may differ: what is due at once is due by every clock, else a node would look and find nothing. */
const CLOCKS_MS = 2_000

/** The vendor tokens these devices could be reached by; not read where no vendor comes into it. */
export const tokensFor = async (tx: Tx, plan: Plan, devices: readonly AudienceDevice[]): Promise<UsableToken[]> => {
  if (plan.roads.length === 0 || plan.strategy === 'nativepush_only' || devices.length === 0) return []
  return usableTokens(tx, { ids: devices.map(({ id }) => id) })
}

/** Turns devices, ascending, into batches: one for each road, reason or time they share. */
export const batchesOf = (
  plan: Plan,
  page: number,
  devices: readonly AudienceDevice[],
  tokens: readonly UsableToken[],
  here: Here,
  tried: ChannelName[] = [],
): NewBatch[] => {
  const tokensOf = new Map<number, Road[]>()
  for (const { device_id, vendor, environment } of tokens) {
    const known = tokensOf.get(device_id) ?? []
    known.push({ vendor, environment })
    tokensOf.set(device_id, known)
  }
  const groups = new Map<string, NewBatch>()
  const batches: NewBatch[] = []
  for (const device of devices) {
    const draft = draftFor(plan, device, tokensOf.get(device.id) ?? [], here, tried)
    const key = `${draft.channel} ${draft.environment} ${draft.state} ${draft.node} ${draft.dueAt} ${draft.reason}`
    let batch = groups.get(key)
    if (!batch || batch.devices.length === DEVICES_A_BATCH) {
      batch = { page, ...draft, tried, devices: [], badges: null }
      groups.set(key, batch)
      batches.push(batch)
    }
    batch.devices.push(device.id)
  }
  return batches
}

type Draft = Pick<NewBatch, 'channel' | 'environment' | 'state' | 'node' | 'dueAt'> & { reason: PlainReason | null }

const draft = (channel: NewBatch['channel'], state: DeliveryState, more: Partial<Draft> = {}): Draft => ({
  channel, state, environment: 1, reason: null, node: null, dueAt: null, ...more,
})

const draftFor = (
  plan: Plan,
  device: AudienceDevice,
  tokens: Road[],
  here: Here,
  tried: ChannelName[],
): Draft => {
  const online = device.presence_node !== null && here.alive.includes(device.presence_node)
  const seen = { platform: device.platform, online, loggedIn: device.logged_in === 1, pushEnabled: device.push_enabled === 1, tokens }
  const direction = route(plan, seen, tried)
  if (direction.to === 'none') return draft('none', 'untargeted', { reason: direction.reason })
  if (plan.dryRun) return draft(direction.to === 'inbox' ? ownChannel : direction.channel, 'planned', environmentOf(direction))

  const until = plan.urgent ? undefined : quietEnd(device, plan.quiet, here.now)
  if (until !== undefined) {
    return until < plan.expiresAt
      ? draft('held', 'pending', { dueAt: until, reason: 'quiet_hours' })
      : draft('none', 'untargeted', { reason: 'quiet_too_long' })
  }
  if (direction.to === 'inbox') return draft(ownChannel, 'waiting')
  const atOnce = here.alone ? here.now : here.now - CLOCKS_MS
  if (direction.channel !== ownChannel) return draft(direction.channel, 'pending', { ...environmentOf(direction), dueAt: atOnce })
  // A single node hands it over right after it is stored: it is due again only for its acknowledgements. One of many takes
  // its own from the store too, so that what a caller sent through two nodes, one after the other, arrives in that order.
  return draft(ownChannel, 'pending', { node: device.presence_node, dueAt: here.alone ? here.now + here.ackMs : atOnce })
}

const environmentOf = (direction: Direction): { environment: number } => ({
  environment: direction.to === 'channel' ? direction.environment : 1,
})

const quietEnd = (device: AudienceDevice, usual: QuietHours, now: number): number | undefined => {
  const { quiet_start: start, quiet_end: end } = device
  if (start !== null && end !== null) return quietUntil(now, start, end, device.time_zone ?? 'UTC')
  return quietUntil(now, usual.start, usual.end, usual.timeZone)
}
