import { type VendorName, ownChannel, vendorNames } from '@carillon/protocol/names.ts'
import { laneOf } from './batches.ts'
import { countOnline, type Minute, readMinutes } from './figures.ts'
import { readSizes } from './sizes.ts'
import { type Tx, list } from './store.ts'

/** What waits is counted up to here: more than this is told as this. */
const QUEUE_COUNTED = 2_000

/** What waits to be planned, handed over and told. */
export interface Queue {
  tasks: number
  batches: number
  events: number
}

/** A credential that ends soon, or has ended. */
export interface EndingCertificate {
  vendor: VendorName
  environment: number
  name: string
  expires_at: number
}

/** Events that are not taken where they are told. */
export interface WebhookTrouble {
  since: number
  answer: string
  given_up: number
}

export interface OverviewFigures {
  users: number
  devices: number
  online: number
  minutes: Omit<Minute, 'app'>[]
  queue: Queue
  certificates: EndingCertificate[]
  webhook: WebhookTrouble | undefined
  pushOffSince: number | undefined
}

/** All that the store knows of how an app is doing. Every part of it is one short walk along an index. */
export const readOverview = async (
  tx: Tx,
  { app, nodes, since, endingBefore, pushOff, now }: {
    app: number
    /** Those that live. */
    nodes: readonly number[]
    /** The first minute asked for. */
    since: number
    endingBefore: number
    pushOff: boolean
    now: number
  },
): Promise<OverviewFigures> => ({
  ...(await readSizes(tx, { app })),
  online: await countOnline(tx, { app, nodes }),
  minutes: await readMinutes(tx, { app, since }),
  queue: await readQueue(tx, app, now),
  certificates: await tx.all<EndingCertificate>(
    `SELECT vendor, environment, name, expires_at FROM certificates WHERE app = ?1 AND expires_at < ?2
     ORDER BY vendor, environment`,
    app, endingBefore,
  ),
  webhook: await webhookTrouble(tx, app),
  pushOffSince: pushOff ? await lastSwitchedOff(tx, app) : undefined,
})

const count = async (tx: Tx, sql: string, ...values: (string | number)[]): Promise<number> =>
  (await tx.get<{ count: number }>(`SELECT count(*) AS count FROM (${sql}) q`, ...values))!.count

// What is due among all apps' is looked through from its beginning, and no further than `QUEUE_COUNTED`: one who is
// that far behind has other troubles than a number.
const ofApp = async (tx: Tx, app: number, sql: string, ...values: (string | number)[]): Promise<number> =>
  (await tx.get<{ count: number }>(
    `SELECT count(*) AS count FROM (${sql} LIMIT ${QUEUE_COUNTED}) q WHERE q.app = ?1`, app, ...values,
  ))!.count

const readQueue = async (tx: Tx, app: number, now: number): Promise<Queue> => {
  const unplanned = 'SELECT app FROM tasks WHERE plan_at IS NOT NULL AND plan_at <= ?2 ORDER BY plan_at'
  const overdue = `SELECT app FROM batches WHERE channel = ?2 AND lane IS NULL AND due_at IS NOT NULL AND due_at <= ?3
    ORDER BY due_at`
  const inLanes = await count(
    tx,
    `SELECT id FROM batches WHERE channel any_text(?1) AND lane any_int(?2) AND lane IS NOT NULL AND due_at IS NOT NULL
     LIMIT ${QUEUE_COUNTED}`,
    list(vendorNames), list([laneOf(app, 0), laneOf(app, 1)]),
  )
  return {
    tasks: await ofApp(tx, app, unplanned, now),
    batches: inLanes + (await ofApp(tx, app, overdue, ownChannel, now)) + (await ofApp(tx, app, overdue, 'held', now)),
    events: await count(tx, `SELECT id FROM events WHERE app = ?1 AND due_at IS NOT NULL LIMIT ${QUEUE_COUNTED}`, app),
  }
}

const FAILED_OFTEN = 3
const EVENTS_LOOKED_AT = 50

interface ToldEvent {
  at: number
  due_at: number | null
  attempt: number
  delivered_at: number | null
  answer: string | null
}

const isFailing = ({ attempt, due_at, answer }: ToldEvent): boolean =>
  answer !== null && (due_at === null || attempt >= FAILED_OFTEN)

/** Told again and again, or given up lately: since the oldest of those, with what the newest met. */
const webhookTrouble = async (tx: Tx, app: number): Promise<WebhookTrouble | undefined> => {
  const last = await tx.all<ToldEvent>(
    `SELECT e.at, e.due_at, e.attempt, e.delivered_at, e.answer FROM webhooks w JOIN events e ON e.app = w.app
     WHERE w.app = ?1 ORDER BY e.id DESC LIMIT ${EVENTS_LOOKED_AT}`,
    app,
  )
  // What went before one that was taken is over.
  const taken = last.findIndex(({ delivered_at }) => delivered_at !== null)
  const since = taken < 0 ? last : last.slice(0, taken)
  const failing = since.filter(isFailing)
  if (failing.length === 0) return undefined
  const given_up = failing.filter(({ due_at }) => due_at === null).length
  return { since: failing.at(-1)!.at, answer: failing[0]!.answer!, given_up }
}

const ENTRIES_LOOKED_AT = 200

/** When push was switched off for the app; undefined when that was too long ago to be found at once. */
const lastSwitchedOff = async (tx: Tx, app: number): Promise<number | undefined> => {
  const row = await tx.get<{ at: number }>(
    `SELECT at FROM (
       SELECT id, at, action, detail FROM audit_log WHERE app = ?1 ORDER BY id DESC LIMIT ${ENTRIES_LOOKED_AT}
     ) q WHERE action = 'app.setting' AND detail LIKE '%"push_enabled":false%' ORDER BY id DESC LIMIT 1`,
    app,
  )
  return row?.at
}
