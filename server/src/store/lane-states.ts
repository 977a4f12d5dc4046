import type { VendorName } from '@carillon/protocol/names.ts'
import { type Grounds, groundsIn } from '@carillon/protocol/sentences/reasons.ts'
import { Guard, type GuardState } from './guard.ts'
import type { TokenPlace } from './quarantine.ts'
import { type Tx, rows } from './store.ts'

/** No more bodies can be stored at the vendor until then; `instead`: what to do, as JSON. */
export interface NoBodies {
  until: number
  instead: string
}

/** A lane as all nodes together see it. */
export interface LaneState extends Grounds {
  account: string
  vendor: VendorName
  environment: number
  pausedUntil: number
  /** In a row, after which it was given its break; 0 once something has worked. */
  failures: number
  /** The operator was told of its trouble, and nothing has worked since. */
  isTold: boolean
  doubtedAt: number | null
  /** What was answered within the last minute. */
  minute: { answers: number; dead: number }
  /** Requests under way on other nodes than the one that asks. */
  underWay: number
  noBodies: NoBodies | null
}

/** What is stored of it. */
export interface LaneRow {
  account: string
  vendor: VendorName
  environment: number
  paused_until: number
  trouble: string
  doubted_at: number | null
  answers: string
  under_way: string
}

/** What stands in a row's JSON; empty while there was no trouble. */
interface Trouble extends Grounds {
  failures: number
  /** What the operator was last told; '' once something has worked. */
  told: string
  noBodies: NoBodies | null
}

/** By node. */
type UnderWay = Record<string, { count: number; at: number }>

/** Of what is stored. */
export const laneColumns = 'account, vendor, environment, paused_until, trouble, doubted_at, answers, under_way'

/** A node that has requests under way says so each few seconds; after that it is gone. */
const UNDER_WAY_MS = 5_000

/** The guard that judges its answers. */
export const guardOf = ({ answers, doubted_at }: LaneRow): Guard =>
  new Guard(JSON.parse(answers) as GuardState, doubted_at ?? undefined)

/** What is wrong with it. */
export const troubleOf = ({ trouble }: LaneRow): Trouble =>
  ({ why: '', failures: 0, told: '', noBodies: null, ...(JSON.parse(trouble) as Partial<Trouble>) })

/** Requests under way, without those of this node, and of those that are gone. */
export const othersUnderWay = ({ under_way }: LaneRow, node: string, now: number): UnderWay =>
  Object.fromEntries(
    Object.entries(JSON.parse(under_way) as UnderWay)
      .filter(([other, { at }]) => other !== node && now - at < UNDER_WAY_MS),
  )

/** As `node` is told of it. */
export const stateOf = (row: LaneRow, node: string, now: number): LaneState => {
  const { account, vendor, environment, paused_until, doubted_at } = row
  const { failures, told, noBodies, ...trouble } = troubleOf(row)
  const underWay = Object.values(othersUnderWay(row, node, now)).reduce((sum, { count }) => sum + count, 0)
  return {
    account, vendor, environment, pausedUntil: paused_until, ...groundsIn(trouble), failures, isTold: told !== '',
    doubtedAt: doubted_at, minute: guardOf(row).minute(now), underWay, noBodies,
  }
}

/** Rows for lanes of which nothing was known yet. In the order of the accounts, as all who write of several. */
export const addLanes = async (
  tx: Tx,
  lanes: readonly { account: string; place: TokenPlace }[],
  now: number,
): Promise<void> => {
  await tx.run(
    `INSERT INTO lane_states (account, app, vendor, environment, written_at)
     SELECT w.account, w.app, w.vendor, w.environment, ?2
     FROM each_row(?1) w (account text, app int, vendor text, environment int) WHERE true
     ON CONFLICT (account) DO NOTHING`,
    rows(lanes.map(({ account, place: { app, vendor, environment } }) => [account, app, vendor, environment])), now,
  )
}
