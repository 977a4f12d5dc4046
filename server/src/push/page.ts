import { type ChannelName, type VendorName, ownChannel } from '@carillon/protocol/names.ts'
import type { AudienceDevice, UsableToken } from '../store/audience.ts'
import type { NewBatch } from '../store/batches.ts'
import type { DeliveryState } from '../store/ledger.ts'
import { quietUntil } from './quiet.ts'
import { type Direction, type Roads, route } from './route.ts'
import { type Task, typeOf } from './task.ts'

export interface PageContext {
  roads: Roads
  /** This node's incarnation, and which incarnations live. */
  node: number
  isAlive(node: number): boolean
  /** How long an own-channel push may go unacknowledged before the next road is taken. */
  ackMs: number
  now: number
}

const DEVICES_A_BATCH = 1_000

/** Turns devices, ascending, into batches: one for each road, reason or time they share. */
export const batchesOf = (
  task: Task,
  page: number,
  devices: readonly AudienceDevice[],
  tokens: readonly UsableToken[],
  context: PageContext,
  tried: ChannelName[] = [],
): NewBatch[] => {
  const tokensOf = new Map<number, { vendor: VendorName; environment: number }[]>()
  for (const { device_id, vendor, environment } of tokens) {
    const known = tokensOf.get(device_id) ?? []
    known.push({ vendor: vendor as VendorName, environment })
    tokensOf.set(device_id, known)
  }
  const groups = new Map<string, NewBatch>()
  const batches: NewBatch[] = []
  for (const device of devices) {
    const draft = draftFor(task, device, tokensOf.get(device.id) ?? [], context, tried)
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

type Draft = Pick<NewBatch, 'channel' | 'environment' | 'reason' | 'state' | 'node' | 'dueAt'>

const draft = (channel: NewBatch['channel'], state: DeliveryState, more: Partial<Draft> = {}): Draft => ({
  channel, state, environment: 1, reason: null, node: null, dueAt: null, ...more,
})

const draftFor = (
  task: Task,
  device: AudienceDevice,
  tokens: { vendor: VendorName; environment: number }[],
  context: PageContext,
  tried: ChannelName[],
): Draft => {
  const online = device.presence_node !== null && context.isAlive(device.presence_node)
  const seen = { platform: device.platform, online, loggedIn: device.logged_in === 1, pushEnabled: device.push_enabled === 1, tokens }
  const direction = route(task.message, task.setting, seen, context.roads, tried)
  if (direction.to === 'none') return draft('none', 'untargeted', { reason: direction.reason })
  if (task.dryRun) return draft(direction.to === 'inbox' ? ownChannel : direction.channel, 'planned', environmentOf(direction))

  const until = quietEnd(task, device, context.now)
  if (until !== undefined) {
    return until < task.expiresAt
      ? draft('held', 'pending', { dueAt: until, reason: 'quiet hours of the user' })
      : draft('none', 'untargeted', { reason: 'it expires before the quiet hours of the user end' })
  }
  if (direction.to === 'inbox') return draft(ownChannel, 'waiting')
  if (direction.channel !== ownChannel) return draft(direction.channel, 'pending', { ...environmentOf(direction), dueAt: context.now })
  // A batch for this node is handed over right after it is stored, so it is due again only for its acknowledgements.
  const dueAt = device.presence_node === context.node ? context.now + context.ackMs : context.now
  return draft(ownChannel, 'pending', { node: device.presence_node, dueAt })
}

const environmentOf = (direction: Direction): { environment: number } => ({
  environment: direction.to === 'channel' ? direction.environment : 1,
})

const quietEnd = (task: Task, device: AudienceDevice, now: number): number | undefined => {
  if (device.quiet_start === null || device.quiet_end === null) return undefined
  if (typeOf(task.message) === 'cmd' || task.setting.priority === 'high') return undefined
  return quietUntil(now, device.quiet_start, device.quiet_end, device.time_zone ?? 'UTC')
}
