import { setImmediate } from 'node:timers/promises'
import type { ChannelName } from '@carillon/protocol/names.ts'
import type { LogEntry } from '../store/batch-log.ts'
import type { Store } from '../store/store.ts'
import { readLogs } from '../store/task-look.ts'

/** How many were handed over, and received, from this moment on until the next point. */
export interface Point {
  at: number
  channel: ChannelName
  sent: number
  received: number
}

const POINTS_MOST = 200
const BATCHES_AT_ONCE = 200

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const steps = [
  SECOND, 2 * SECOND, 5 * SECOND, 10 * SECOND, 30 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 6 * HOUR, DAY,
  7 * DAY, 30 * DAY, 365 * DAY,
]

/** What became of a task over time, channel by channel, as far as its batches wrote it down on the way. */
export const seriesOf = async (store: Store, taskId: number): Promise<Point[]> => {
  const points = new Map<string, Point>()
  for (let after: number | null = -1; after !== null; ) {
    const part: Logs = await store.read(readLogs, { taskId, after, some: BATCHES_AT_ONCE })
    for (const { channel, log } of part.logs) {
      if (channel !== 'held' && channel !== 'none') for (const point of pointsIn(channel, log)) add(points, point)
    }
    after = part.next
    await setImmediate()
  }
  return gathered([...points.values()])
}

type Logs = Awaited<ReturnType<typeof readLogs>>

const pointsIn = (channel: ChannelName, log: string): Point[] =>
  (JSON.parse(log) as LogEntry[]).flatMap(({ at, what, count }) => {
    if (what !== 'sent' && what !== 'received') return []
    return { at: at - (at % SECOND), channel, sent: 0, received: 0, [what]: count }
  })

const add = (points: Map<string, Point>, { at, channel, sent, received }: Point): void => {
  const key = `${at} ${channel}`
  const known = points.get(key) ?? { at, channel, sent: 0, received: 0 }
  points.set(key, { at, channel, sent: known.sent + sent, received: known.received + received })
}

const inOrder = (a: Point, b: Point): number => a.at - b.at || (a.channel < b.channel ? -1 : 1)

/** In the smallest steps that leave few enough points. */
export const gathered = (points: readonly Point[]): Point[] => {
  for (const step of steps) {
    const together = new Map<string, Point>()
    for (const point of points) add(together, { ...point, at: point.at - (point.at % step) })
    if (together.size <= POINTS_MOST) return [...together.values()].sort(inOrder)
  }
  return []
}
