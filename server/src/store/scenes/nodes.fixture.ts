import { laneOf } from '../batches.ts'
import { claimFromLane, claimOwn } from '../claims.ts'
import { dropFrames, purgeFrames, readFrames, tellReceived } from '../frames.ts'
import { SILENT_MS, beat, joinNode, leaveNode, livingNodes, moveOver, reapNode, renewNode, silentNodes } from '../heart-beats.ts'
import { devicesElsewhere } from '../nodes.ts'
import { NOW, newBatch, newTask } from '../people.fixture.ts'
import { insertTask } from '../tasks.ts'
import { lookAtBatches } from '../task-look.ts'
import type { Book } from './book.fixture.ts'

/** Nodes that come, fall silent and leave, with what they hold. */
export const nodesScene = async (book: Book): Promise<void> => {
  const later = NOW + SILENT_MS
  const [silent, living] = [
    await book.write(joinNode, { parts: ['http', 'worker'], address: 'http://é.example', now: NOW }),
    await book.write(joinNode, { parts: [], address: '', now: NOW + 1 }),
  ]
  const { id } = await book.write(insertTask, {
    task: newTask(), batches: [newBatch([1], { node: silent }), newBatch([2], { channel: 'apns' }), newBatch([3], { node: 99 })],
  })
  await book.write(claimOwn, { node: silent, limit: 9, ackAt: NOW + 11_000, now: NOW })
  await book.write(claimFromLane, { channel: 'apns', lane: laneOf(1, 1), node: silent, now: NOW })
  await book.read(livingNodes, { now: NOW })
  await book.write(beat, { node: living, now: later })
  await book.write(beat, { node: 99, now: later })
  await book.read(livingNodes, { now: later })
  await book.read(silentNodes, { now: later })
  for (const node of [silent, living, 99]) await book.write(reapNode, { node, now: later })
  await book.read(silentNodes, { now: later })
  await book.write(claimOwn, { node: living, limit: 9, ackAt: later + 11_000, now: later })
  const renewed = await book.write(renewNode, { before: living, parts: [], address: '', now: later })
  await book.write(tellReceived, { node: renewed, deviceId: 1, taskId: id })
  await book.read(readFrames, { node: renewed, limit: 9 })
  await book.write(dropFrames, { ids: [1, 2] })
  await book.write(moveOver, { before: renewed, node: renewed })
  await book.read(devicesElsewhere, { node: renewed, devices: [1, 2] })
  await book.write(purgeFrames, {})
  await book.write(leaveNode, { node: renewed, now: later })
  await book.read(lookAtBatches, { taskId: id, after: -1, some: 10 })
  await book.read(livingNodes, { now: later })
}
