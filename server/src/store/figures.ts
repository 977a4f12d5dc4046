import type { ChannelName } from '@carillon/protocol/names.ts'
import { type Tx, list, rows } from './store.ts'

/** What happened in one minute on one channel of an app; '' where there is no channel yet. */
export interface Minute {
  app: number
  /** Unix time / 60 s. */
  minute: number
  channel: ChannelName | ''
  accepted: number
  target: number
  sent: number
  received: number
}

export interface Online {
  app: number
  online: number
}

/** What a node tells of itself: more of each minute, and how many devices of an app it holds now. */
export const writeFigures = async (
  tx: Tx,
  { node, minutes, online }: { node: number; minutes: Minute[]; online: Online[] },
): Promise<void> => {
  for (const { app, minute, channel, accepted, target, sent, received } of minutes) {
    await tx.run(
      `INSERT INTO minutes (app, minute, channel, node, accepted, target, sent, received)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
       ON CONFLICT (app, minute, channel, node) DO UPDATE SET
         accepted = minutes.accepted + excluded.accepted, target = minutes.target + excluded.target,
         sent = minutes.sent + excluded.sent, received = minutes.received + excluded.received`,
      app, minute, channel, node, accepted, target, sent, received,
    )
  }
  if (online.length === 0) return
  await tx.run(
    `INSERT INTO node_sessions (node, app, online)
     SELECT ?1, w.app, w.online FROM each_row(?2) w (app int, online int) WHERE w.app > 0
     ON CONFLICT (node, app) DO UPDATE SET online = excluded.online`,
    node, rows(online.map((one) => [one.app, one.online])),
  )
}

/** Of all nodes together, since a minute, oldest first. */
export const readMinutes = async (
  tx: Tx,
  { app, since }: { app: number; since: number },
): Promise<Omit<Minute, 'app'>[]> =>
  tx.all(
    `SELECT minute, channel, sum(accepted) AS accepted, sum(target) AS target, sum(sent) AS sent,
       sum(received) AS received
     FROM minutes WHERE app = ?1 AND minute >= ?2 GROUP BY minute, channel ORDER BY minute, channel`,
    app, since,
  )

/** Devices of an app that are connected to one of these nodes. */
export const countOnline = async (
  tx: Tx,
  { app, nodes }: { app: number; nodes: readonly number[] },
): Promise<number> => {
  const row = await tx.get<{ online: number }>(
    'SELECT COALESCE(sum(online), 0) AS online FROM node_sessions WHERE app = ?1 AND node any_int(?2)',
    app, list(nodes),
  )
  return row!.online
}

/** Forgets minutes before this one, and what was written by nodes that are gone. */
export const purgeFigures = async (tx: Tx, { before }: { before: number }): Promise<void> => {
  await tx.run('DELETE FROM minutes WHERE minute < ?1', before)
  await tx.run('DELETE FROM node_sessions WHERE NOT EXISTS (SELECT 1 FROM nodes WHERE nodes.id = node_sessions.node)')
}
