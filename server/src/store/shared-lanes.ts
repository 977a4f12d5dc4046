import { type Grounds, groundsIn } from '@carillon/protocol/sentences/reasons.ts'
import { GUARD_MS, TOKENS_DYING } from './guard.ts'
import type { LaneRow, LaneState, NoBodies } from './lane-states.ts'
import { addLanes, guardOf, laneColumns, othersUnderWay, stateOf, troubleOf } from './lane-states.ts'
import { type DeadToken, type TokenPlace, quarantineTokens, releaseTokens, tellLanePaused } from './quarantine.ts'
import { type Tx, list, rows } from './store.ts'

/** A device that its vendor asked to leave alone. */
export interface Rest {
  account: string
  deviceId: number
  until: number
}

/** What a node has to tell the others of a lane. */
export interface LaneNews {
  account: string
  place: TokenPlace
  /** Since the last time it told them. */
  answers: number
  dead: number
  worked: boolean
  underWay: number
  /** `tell`: the operator can do something about it. */
  pause: (Grounds & { until: number; failures: number; tell: boolean }) | null
  noBodies: NoBodies | null
}

/** What came of a node's news, for its log: the operator was told of a pause, or so many tokens were given back. */
export interface LaneTurn {
  account: string
  told: boolean
  released: number | null
}

/** The newest ones: in a flood of them nobody needs each. */
const MOST_RESTS = 10_000
const UNUSED_MS = 7 * 86_400_000

/** The next stretch of a lane's time, as long as asked, for whoever asks; and how the lane is. Where it ends. */
export const takeTime = async (
  tx: Tx,
  { node, place, account, fromUs, lengthUs, now }: {
    node: string
    place: TokenPlace
    account: string
    fromUs: number
    lengthUs: number
    now: number
  },
): Promise<{ endUs: number; state: LaneState }> => {
  const { app, vendor, environment } = place
  const taken = await tx.get<{ free_us: number }>(
    `INSERT INTO lane_rates (app, vendor, environment, free_us) VALUES (?1, ?2, ?3, ?4)
     ON CONFLICT (app, vendor, environment) DO UPDATE
       SET free_us = CASE WHEN lane_rates.free_us > ?5 THEN lane_rates.free_us + ?6 ELSE ?4 END
     RETURNING free_us`,
    app, vendor, environment, fromUs + lengthUs, fromUs, lengthUs,
  )
  const find = () => tx.get<LaneRow>(`SELECT ${laneColumns} FROM lane_states WHERE account = ?`, account)
  let row = await find()
  if (!row) {
    await addLanes(tx, [{ account, place }], now)
    row = await find()
  }
  return { endUs: taken!.free_us, state: stateOf(row!, node, now) }
}

interface Heard {
  lanes: LaneState[]
  rests: Rest[]
}

/** How these lanes are, and which devices are to be left alone since then. */
export const readLanes = async (
  tx: Tx,
  { node, accounts, restsAfter, now }: { node: string; accounts: string[]; restsAfter: number; now: number },
): Promise<Heard> => {
  const states = await tx.all<LaneRow>(
    `SELECT ${laneColumns} FROM lane_states WHERE account any_text(?1) ORDER BY account`, list(accounts),
  )
  const rests = await tx.all<{ account: string; device_id: number; until_at: number }>(
    `SELECT account, device_id, until_at FROM lane_rests WHERE told_at > ?1 AND until_at > ?2
     ORDER BY told_at DESC, account, device_id LIMIT ?3`,
    restsAfter, now, MOST_RESTS,
  )
  return {
    lanes: states.map((row) => stateOf(row, node, now)),
    rests: rests.map(({ account, device_id, until_at }) => ({ account, deviceId: device_id, until: until_at })),
  }
}

/** How a lane is, and which of these devices are to be left alone in it. Undefined: nobody has used it yet. */
export const lookAtLane = async (
  tx: Tx,
  { node, account, devices, now }: { node: string; account: string; devices: number[]; now: number },
): Promise<{ state: LaneState; rests: Rest[] } | undefined> => {
  const found = await tx.all<LaneRow & { device_id: number | null; until_at: number }>(
    `SELECT ${laneColumns}, device_id, until_at FROM lane_states
     LEFT JOIN (SELECT account AS of_account, device_id, until_at FROM lane_rests
       WHERE account = ?1 AND device_id any_int(?2) AND until_at > ?3) r ON r.of_account = lane_states.account
     WHERE account = ?1 ORDER BY device_id`,
    account, list(devices), now,
  )
  const rests = found.flatMap(({ device_id: deviceId, until_at: until }) => (deviceId === null ? [] : { account, deviceId, until }))
  return found[0] && { state: stateOf(found[0], node, now), rests }
}

/**
 * A node tells what it knows of its lanes and hears what the others do. Whoever's answers make the dead tokens too many
 * takes back those of the last minute, and whoever's pause is news tells the operator, in the same transaction: so both
 * happen once.
 */
export const meetLanes = async (
  tx: Tx,
  { news, rests, ...asked }: {
    /** Who meets the others, under a name of its own. */
    node: string
    news: LaneNews[]
    rests: Rest[]
    accounts: string[]
    restsAfter: number
    now: number
  },
): Promise<Heard & { turns: LaneTurn[] }> => {
  const { node, now } = asked
  const turns = news.length > 0 ? await writeNews(tx, node, news, now) : []
  if (rests.length > 0) {
    await tx.run(
      `INSERT INTO lane_rests (account, device_id, until_at, told_at)
       SELECT w.account, w.device_id, w.until_at, ?2
       FROM each_row(?1) w (account text, device_id int, until_at int) WHERE true
       ON CONFLICT (account, device_id) DO UPDATE SET until_at = excluded.until_at, told_at = excluded.told_at
         WHERE lane_rests.until_at < excluded.until_at`,
      rows(rests.map(({ account, deviceId, until }) => [account, deviceId, until])), now,
    )
  }
  return { ...(await readLanes(tx, asked)), turns }
}

const writeNews = async (tx: Tx, node: string, news: readonly LaneNews[], now: number): Promise<LaneTurn[]> => {
  // In the order of the accounts: others write news of the same lanes, and must not wait for one another.
  const inOrder = news.toSorted((a, b) => (a.account < b.account ? -1 : 1))
  await addLanes(tx, inOrder, now)
  const found = await tx.all<LaneRow>(
    `SELECT ${laneColumns} FROM lane_states WHERE account any_text(?1) ORDER BY account for update`,
    list(inOrder.map(({ account }) => account)),
  )
  const byAccount = new Map(found.map((row) => [row.account, row]))
  const turns: LaneTurn[] = []
  for (const one of inOrder) {
    const row = byAccount.get(one.account)!
    const underWay = othersUnderWay(row, node, now)
    if (one.underWay > 0) underWay[node] = { count: one.underWay, at: now }
    row.under_way = JSON.stringify(underWay)
    turns.push(await apply(tx, row, one, now))
  }
  await tx.run(
    `UPDATE lane_states SET paused_until = w.paused_until, trouble = w.trouble, doubted_at = w.doubted_at,
       answers = w.answers, under_way = w.under_way, written_at = ?2
     FROM each_row(?1) w (account text, paused_until int, trouble text, doubted_at int, answers text, under_way text)
     WHERE lane_states.account = w.account`,
    rows(found.map((row) => [row.account, row.paused_until, row.trouble, row.doubted_at, row.answers, row.under_way])),
    now,
  )
  return turns
}

/** Changes the row as the news say. */
const apply = async (tx: Tx, row: LaneRow, news: LaneNews, now: number): Promise<LaneTurn> => {
  const { account, place, answers, dead, worked, pause, noBodies } = news
  const turn: LaneTurn = { account, told: false, released: null }
  if (answers > 0) {
    const guard = guardOf(row)
    const judged = guard.count(now, answers, dead)
    row.answers = JSON.stringify(guard.state)
    row.doubted_at = guard.since ?? null
    if (judged === 'tripped') {
      turn.released = await releaseTokens(tx, { place, since: now - GUARD_MS, why: TOKENS_DYING, now })
    }
  }
  if (!worked && !pause && !noBodies) return turn
  const trouble = troubleOf(row)
  if (noBodies) trouble.noBodies = noBodies
  if (worked) Object.assign(trouble, { failures: 0, told: '' })
  if (pause) {
    if (pause.until > row.paused_until) {
      row.paused_until = pause.until
      Object.assign(trouble, { reason: undefined, said: undefined, ...groundsIn(pause) })
    }
    trouble.failures = Math.max(trouble.failures, pause.failures)
    turn.told = pause.tell && trouble.told !== pause.why
    if (turn.told) {
      trouble.told = pause.why
      await tellLanePaused(tx, { place, why: pause.why, until: pause.until, now })
    }
  }
  row.trouble = JSON.stringify(trouble)
  return turn
}

/** Quarantines tokens unless the lane's dead tokens are doubted, here or on any other node. How many. */
export const quarantineBelieved = async (
  tx: Tx,
  { account, place, tokens, now }: { account: string; place: TokenPlace; tokens: DeadToken[]; now: number },
): Promise<number> => {
  await addLanes(tx, [{ account, place }], now)
  // Whoever takes tokens back holds this row: what is quarantined beside that is either taken back too, or not at all.
  const row = await tx.get<{ doubted_at: number | null }>(
    'SELECT doubted_at FROM lane_states WHERE account = ? for share', account,
  )
  return row!.doubted_at === null ? quarantineTokens(tx, { place, tokens, now }) : 0
}

/** An app's lanes that any node has used. */
export const lanesOf = async (tx: Tx, { app, now }: { app: number; now: number }): Promise<LaneState[]> => {
  const found = await tx.all<LaneRow>(
    `SELECT ${laneColumns} FROM lane_states WHERE app = ? ORDER BY vendor, environment, account`, app,
  )
  return found.map((row) => stateOf(row, '', now))
}

/** A certificate was replaced or removed: nothing that was known of it is of use. */
export const forgetAccount = async (tx: Tx, { account }: { account: string }): Promise<void> => {
  await tx.run('DELETE FROM lane_states WHERE account = ?', account)
  await tx.run('DELETE FROM lane_rests WHERE account = ?', account)
  await tx.run('DELETE FROM vendor_access WHERE account = ?', account)
}

/** What is over, and what a node that was slow to hear of a replaced certificate wrote of it since. */
export const purgeLanes = async (tx: Tx, { now }: { now: number }): Promise<void> => {
  await tx.run('DELETE FROM lane_states WHERE written_at < ?1 AND paused_until < ?2', now - UNUSED_MS, now)
  await tx.run('DELETE FROM lane_rests WHERE until_at <= ?', now)
  await tx.run('DELETE FROM vendor_access WHERE ends_at <= ?1 AND asked_until <= ?1 AND refused_until <= ?1', now)
}
