import { claimBatches, claimFromLane, laneOf } from '../batches.ts'
import { SILENT_MS, beat, joinNode, leaveNode, livingNodes, reapNode, silentNodes } from '../heart-beats.ts'
import { NOW, newBatch, newTask } from '../people.fixture.ts'
import { insertTask } from '../tasks.ts'
import { readReasons } from '../trace.ts'
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
  await book.write(claimBatches, { channel: 'nativepush', node: silent, limit: 9, now: NOW })
  await book.write(claimFromLane, { channel: 'apns', lane: laneOf(1, 1), node: silent, now: NOW })
  await book.read(livingNodes, { now: NOW })
  await book.write(beat, { node: living, now: later })
  await book.write(beat, { node: 99, now: later })
  await book.read(livingNodes, { now: later })
  await book.read(silentNodes, { now: later })
  for (const node of [silent, living, 99]) await book.write(reapNode, { node, now: later })
  await book.read(silentNodes, { now: later })
  await book.write(claimBatches, { channel: 'nativepush', node: living, limit: 9, now: later })
  await book.write(leaveNode, { node: living, now: later })
  await book.read(readReasons, { taskId: id })
  await book.read(livingNodes, { now: later })
}
