import { createApp } from '../apps.ts'
import { laneOf } from '../batches.ts'
import { claimFromLane, claimHeld, claimOwn, nextLane, wakeLane } from '../claims.ts'
import { markDeliveries } from '../marks.ts'
import { settleBatch } from '../settlement.ts'
import { overdueTasks } from '../checkup.ts'
import { cancelTask, expireTask, expireTasks, purgeTasks } from '../endings.ts'
import { addEvent, addEvents, claimEvents, deleteWebhook, listEvents, purgeEvents, readWebhook, replayEvents, setWebhook, settleEvent, tellExpiringCertificates } from '../events.ts'
import { addToInbox, endPlaces, keepInInbox, readInboxes } from '../inbox.ts'
import { RECEIVED, SENT, markOf } from '../ledger.ts'
import { startNode } from '../nodes.ts'
import { NOW, newBatch, newTask } from '../people.fixture.ts'
import { putCertificate } from '../certificates.ts'
import { tellLanePaused } from '../quarantine.ts'
import { claimTask, endPlanning, findRequest, insertTask, moveCursor, readTallies, readTask, releaseTask, visibleTask } from '../tasks.ts'
import { listTasks } from '../task-list.ts'
import { lookAtBatches, readLogs } from '../task-look.ts'
import { findDeliveries, findDelivery, traceDelivery } from '../trace.ts'
import { writeAudit } from '../audit.ts'
import type { Book } from './book.fixture.ts'

const viewer = { app: 1, scopeKind: 'app', scopeId: 0 } as const
const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i)

/** The path of a push, from the task to its end, and what is told of it. */
export const pathScene = async (book: Book): Promise<void> => {
  await book.write(createApp, { appId: 'demo', name: 'Demo', actor: '', now: NOW })
  await book.write(setWebhook, { app: 1, url: 'https://x.example', secret: Uint8Array.of(3), actor: '', now: NOW })
  const node = await book.write(startNode, { now: NOW })
  const requestId = 'r é 😀'
  const badge = { add: 1 }
  const batches = [
    newBatch([1, 2], { state: 'waiting', dueAt: null }),
    newBatch([3, 4], { channel: 'apns' }),
    newBatch([5], { channel: 'fcm', environment: 0, dueAt: NOW + 500 }),
    newBatch([6], { channel: 'none', state: 'untargeted', reason: 'no channel', dueAt: null }),
    newBatch([7, 8], { channel: 'held', reason: 'quiet hours', dueAt: NOW + 700 }),
  ]
  const small = await book.write(insertTask, { task: newTask({ requestId, badge, urgent: true, message: '{"title":"é"}' }), batches })
  await book.read(findRequest, { ...viewer, requestId })
  await book.read(findRequest, { ...viewer, requestId: 'R é 😀' })
  const wide = await book.write(insertTask, { task: newTask({ collapseId: 'c' }), batches: [newBatch(range(1, 100), { node })] })
  const planned = await book.write(insertTask, { task: newTask({ scopeKind: 'user', scopeId: 7, planAt: NOW + 50 }), batches: null })
  await book.write(insertTask, { task: newTask({ dryRun: true }), batches: [newBatch([1], { state: 'planned', dueAt: null })] })

  await book.write(claimTask, { node, now: NOW })
  await book.write(claimTask, { node, now: NOW + 50 })
  await book.write(releaseTask, { taskId: 99, node })
  await book.write(claimTask, { node, now: NOW + 51 })
  await book.write(moveCursor, { taskId: planned.id, node, from: 0, to: 1_000, now: NOW + 60 })
  await book.write(moveCursor, { taskId: planned.id, node, from: 0, to: 2_000, now: NOW + 60 })
  await book.write(endPlanning, { taskId: planned.id, node, now: NOW + 70 })
  await book.write(endPlanning, { taskId: planned.id, node, now: NOW + 70 })

  await book.read(nextLane, { channel: 'apns', after: 0 })
  await book.read(nextLane, { channel: 'apns', after: 100 })
  const lane = laneOf(1, 1)
  const claimed = (await book.write(claimFromLane, { channel: 'apns', lane, node, now: NOW + 100 }))!
  await book.write(claimFromLane, { channel: 'apns', lane, node, now: NOW + 100 })
  await book.write(wakeLane, { channel: 'fcm', lane: laneOf(1, 0), now: NOW + 100 })
  await book.write(claimFromLane, { channel: 'fcm', lane: laneOf(1, 0), node, now: NOW + 100 })
  await book.write(claimHeld, { node, limit: 9, now: NOW + 699 })
  await book.write(claimHeld, { node, limit: 9, now: NOW + 700 })
  await book.write(claimOwn, { node: node + 1, limit: 9, ackAt: NOW + 11_700, now: NOW + 700 })
  const [own] = await book.write(claimOwn, { node, limit: 9, ackAt: NOW + 11_700, now: NOW + 700 })
  const place = { id: small.id, app: 1, urgent: true, badge, inboxLimit: 1_000 }
  const settlement = {
    batchId: claimed.id, attempt: claimed.attempt, task: place, dueAt: NOW + 9_000, certificate: null, now: NOW + 800,
    changes: [{ index: 0, state: 'done', sent: true }, { index: 1, state: 'moved', sent: false }] as const,
    children: [newBatch([4], { channel: 'nativepush', state: 'waiting', dueAt: null, tried: ['apns'], badges: Int32Array.of(9) })],
    log: [{ at: NOW, what: 'moved', count: 1, places: [1], why: 'it’s gone' }],
  }
  await book.write(settleBatch, { ...settlement, changes: [...settlement.changes], attempt: 9 })
  await book.write(settleBatch, { ...settlement, changes: [...settlement.changes] })
  await book.write(settleBatch, { ...settlement, changes: [...settlement.changes] })
  const marks = (places: number[], mark: number, told = [{ index: 2, event: 'clicked', at: NOW + 5 }]) =>
    [{ batchId: own!.id, taskId: wide.id, places: Uint32Array.from(places), marks: new Uint8Array(places.length).fill(mark), told }]
  await book.write(markDeliveries, { batches: marks([0, 1, 2, 500], markOf(SENT, false)), now: NOW + 900 })
  await book.write(markDeliveries, { batches: marks([2, 3], markOf(RECEIVED, true, 3)), now: NOW + 950 })
  await book.write(keepInInbox, { rows: [{ deviceId: 1, taskId: wide.id, batchId: own!.id, index: 0 }, { deviceId: 3, taskId: wide.id, batchId: own!.id, index: 2 }] })
  const reader = (deviceId: number, more = {}) => ({ app: 1, deviceId, afterTask: 0, count: 10, limit: 100, ...more })
  await book.read(readInboxes, { readers: [reader(100), reader(1), reader(4, { count: 1 }), reader(3, { afterTask: wide.id }), reader(2, { app: 2 }), reader(3)], now: NOW })
  for (const deviceId of [1, 2, 3, 4, 100]) {
    await book.read(readInboxes, { readers: [reader(deviceId)], now: NOW })
    await book.read(traceDelivery, { taskId: wide.id, deviceId })
    await book.read(findDelivery, { app: 1, taskId: small.id, deviceId, channel: null })
    await book.read(findDeliveries, { asked: [{ app: 1, taskId: small.id, deviceId, channel: null }] })
  }
  await book.write(addToInbox, { taskId: wide.id, batchId: own!.id, devices: [1, 2], limit: 1 })
  await book.write(endPlaces, { deviceId: 1, places: [{ task_id: wide.id, batch_id: own!.id, state: 'replaced' }] })
  await book.write(markDeliveries, { batches: marks(range(0, 99), markOf(RECEIVED, true)), now: NOW + 1_000 })
  await book.read(overdueTasks, { before: NOW + 100_000 })
  for (const after of [-1, 2, 1_000_000]) {
    await book.read(lookAtBatches, { taskId: small.id, after, some: 2 })
    await book.read(readLogs, { taskId: small.id, after, some: 2 })
  }
  await book.read(readTallies, { viewer, ids: [small.id, wide.id, planned.id, 99] })
  await book.read(readTallies, { viewer: { app: 1, scopeKind: 'user', scopeId: 7 }, ids: [small.id, planned.id] })
  await book.read(visibleTask, { viewer: { app: 1, scopeKind: 'user', scopeId: 7 }, id: small.id })
  await book.read(visibleTask, { viewer, id: small.id })
  const asked = { app: 1, before: 100, limit: 3, state: null, audienceKind: null, from: null, to: null, requestId: null }
  for (const more of [{}, { state: 'done' }, { state: 'accepted' }, { state: 'sending' }, { audienceKind: 'all' }, { audienceKind: 'tag', state: 'cancelled' }, { requestId }] as const) {
    await book.read(listTasks, { ...asked, ...more })
  }
  for (const [from, to] of [[NOW, null], [NOW + 1, null], [null, NOW], [NOW, NOW + 1], [0, 1]] as const) await book.read(listTasks, { ...asked, from, to })
  await book.write(startNode, { now: NOW + 1_100 })
  await book.write(cancelTask, { taskId: small.id, now: NOW + 1_200 })
  await book.write(cancelTask, { taskId: small.id, now: NOW + 1_300 })
  const late = await book.write(insertTask, { task: newTask({ expiresAt: NOW + 2_000 }), batches: [newBatch([1, 2]), newBatch([3], { channel: 'apns' })] })
  await book.write(expireTask, { taskId: late.id, now: NOW + 1_999 })
  await book.write(expireTasks, { now: NOW + 100_000_000, tasks: 9 })
  await book.read(readTask, { id: late.id })
  await book.write(purgeTasks, { app: 1, before: NOW + 1, tasks: 2 })
  await book.write(purgeTasks, { app: 1, before: NOW + 1, tasks: 9 })
  await book.read(readTallies, { viewer, ids: [small.id, wide.id, late.id] })
  await book.write(insertTask, { task: newTask({ requestId }), batches: null })
  await book.read(findRequest, { ...viewer, requestId })

  await book.write(addEvent, { app: 1, kind: 'webhook.test', data: { é: 1 }, now: NOW })
  await book.write(addEvent, { app: 2, kind: 'webhook.test', data: {}, now: NOW })
  for (const app of [1, 2]) await book.write(addEvents, { app, kind: 'device.token_dead', data: [{ é: '"\\' }, {}], now: NOW })
  await book.write(addEvents, { app: 1, kind: 'device.token_dead', data: [], now: NOW })
  await book.write(tellLanePaused, { place: { app: 1, vendor: 'apns', environment: 1 }, why: 'denied', until: NOW, now: NOW })
  const events = await book.write(claimEvents, { each: 3, now: NOW + 200_000_000 })
  for (const { id, attempt } of events) await book.write(settleEvent, { id, attempt, delivered: id % 2 === 0, answer: '200', dueAt: NOW + 1, now: NOW })
  await book.write(settleEvent, { id: events[0]!.id, attempt: 9, delivered: true, answer: 'late', dueAt: null, now: NOW })
  await book.read(listEvents, { app: 1, before: 1_000, limit: 100 })
  await book.write(replayEvents, { app: 1, ids: [1, 2, 99], now: NOW })
  await book.write(purgeEvents, { before: NOW + 1 })
  const fields = { name: 'prod', app_id: '', app_key: '', secrets: Uint8Array.of(1), expires_at: NOW + 5 }
  await book.write(putCertificate, { place: { app: 1, vendor: 'apns', environment: 1 }, fields, actor: '', now: NOW })
  await book.write(tellExpiringCertificates, { now: NOW, before: NOW + 6 })
  await book.write(tellExpiringCertificates, { now: NOW, before: NOW + 6 })
  await book.read(readWebhook, { app: 1 })
  await book.write(deleteWebhook, { app: 1, actor: '', now: NOW })
  await book.write(deleteWebhook, { app: 1, actor: '', now: NOW })
  await book.read(listEvents, { app: 1, before: 1_000, limit: 100 })
  await book.write(writeAudit, { app: 1, at: NOW, actor: '', action: '', detail: {} })
}
