import { type ChannelName, ownChannel } from '@carillon/protocol/names.ts'
import { raiseBadges } from './badges.ts'
import { wakeDevices } from './frames.ts'
import { addPlaces } from './inbox.ts'
import { type DeliveryState, byteOf, packBadges, packIds } from './ledger.ts'
import type { Tx } from './store.ts'

/** `held`: not routed yet (quiet hours). `none`: no channel could be chosen; the batch's reason says why. */
export type BatchChannel = ChannelName | 'held' | 'none'

/** How a task moves the badge. */
export type BadgeRule = { add: number } | { set: number } | null

export interface NewBatch {
  page: number
  channel: BatchChannel
  environment: number
  reason: string | null
  /** Channels tried before, so that no fallback comes back to one. */
  tried: ChannelName[]
  /** Ascending. */
  devices: number[]
  state: DeliveryState
  /** A child's, copied from its parent; a first batch's are raised by the task's rule. */
  badges: Int32Array | null
  node: number | null
  dueAt: number | null
}

export interface TaskPlace {
  id: number
  app: number
  urgent: boolean
  badge: BadgeRule
  inboxLimit: number
}

/** A batch as it was stored, with its badges raised. */
export interface WrittenBatch extends NewBatch {
  id: number
  /** Nodes that were told to look at their devices' inboxes. */
  told: readonly number[]
}

/** A batch this large has no inbox rows: its places are found through the ledger, by the task's page. */
export const WIDE = 64

/** One app at one vendor in one environment, as a number. */
export const laneOf = (app: number, environment: number): number => app * 2 + environment
export const placeOfLane = (lane: number): { app: number; environment: number } => ({ app: Math.floor(lane / 2), environment: lane % 2 })

const isVendor = (channel: BatchChannel): boolean => channel !== ownChannel && channel !== 'held' && channel !== 'none'

/** Writes first batches and children alike, with their inbox places and badges. Part of accept's, plan's and settle's transaction. */
export const insertBatches = async (tx: Tx, task: TaskPlace, batches: readonly NewBatch[]): Promise<WrittenBatch[]> => {
  const written: WrittenBatch[] = []
  const raised = await raisedBadges(tx, task, batches)
  for (const batch of batches) {
    const targeted = isTargeted(batch)
    const toSend = isToSend(batch)
    const badges = batch.badges ?? raised.get(batch) ?? null
    const id = await tx.insert(
      `INSERT INTO batches (task_id, app, page, channel, environment, lane, reason, tried, devices, badges, node, due_at, urgent)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      task.id, task.app, batch.page, batch.channel, batch.environment, isVendor(batch.channel) ? laneOf(task.app, batch.environment) : null, batch.reason, batch.tried.join(','),
      packIds(batch.devices), badges && packBadges(badges), batch.node, batch.dueAt, task.urgent ? 1 : 0,
    )
    const count = batch.devices.length
    const inboxed = batch.channel === ownChannel && batch.state === 'waiting' && count < WIDE
    await tx.run(
      'INSERT INTO batch_states (batch_id, bytes, target, waiting, inboxed) VALUES (?, ?, ?, ?, ?)',
      id, new Uint8Array(count).fill(byteOf(batch.state)), targeted ? count : 0, batch.state === 'waiting' ? count : 0, inboxed ? 1 : 0,
    )
    if (inboxed) await addPlaces(tx, { taskId: task.id, batchId: id, devices: batch.devices, limit: task.inboxLimit })
    else if (batch.channel === ownChannel && toSend && count >= WIDE) await tx.run('UPDATE tasks SET wide = 1 WHERE id = ? AND wide = 0', task.id)
    written.push({ ...batch, id, badges, told: [] })
  }
  for (const batch of written) {
    if (batch.channel === ownChannel && batch.state === 'waiting') batch.told = await wakeDevices(tx, batch.devices)
  }
  return written
}

const isTargeted = ({ channel }: NewBatch): boolean => channel !== 'held' && channel !== 'none'
const isToSend = ({ state }: NewBatch): boolean => state === 'pending' || state === 'waiting'

/** All at once and in the order of the devices: two pages planned at the same time must not wait for one another's counters. */
const raisedBadges = async (tx: Tx, { badge }: TaskPlace, batches: readonly NewBatch[]): Promise<Map<NewBatch, Int32Array>> => {
  const first = batches.filter((batch) => isTargeted(batch) && isToSend(batch) && !batch.badges && batch.tried.length === 0)
  if (!badge || first.length === 0) return new Map()
  if (first.length === 1) return new Map([[first[0]!, await raiseBadges(tx, { ids: first[0]!.devices, by: badge })]])
  const ids = first.flatMap(({ devices }) => devices).sort((a, b) => a - b)
  const counts = await raiseBadges(tx, { ids, by: badge })
  const countOf = new Map(ids.map((id, i) => [id, counts[i]!]))
  return new Map(first.map((batch) => [batch, Int32Array.from(batch.devices, (id) => countOf.get(id)!)]))
}
