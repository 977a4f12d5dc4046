import type { Logger } from 'pino'
import type { Access } from './access/access.ts'
import type { AttachmentParts } from './access/attachments.ts'
import type { Changes } from './access/changes.ts'
import type { AccessParts } from './access/parts.ts'
import type { Seal } from './access/seal.ts'
import type { Bus } from './bus/bus.ts'
import type { Clock } from './clock.ts'
import type { Part } from './config.ts'
import type { Figures } from './figures.ts'
import type { Gateway } from './gateway/gateway.ts'
import type { Membership } from './membership.ts'
import type { Deliver } from './push/deliver.ts'
import type { Lanes } from './push/lanes.ts'
import type { Path } from './push/path.ts'
import type { Receipts } from './push/receipts.ts'
import type { AppRules } from './push/task.ts'
import type { Store } from './store/store.ts'
import type { Accounts } from './vendors/accounts.ts'
import type { Desk } from './vendors/desk.ts'

/** What the program is made of, once main.ts has put it together. */
export interface House {
  clock: Clock
  log: Logger
  store: Store
  seal: Seal
  membership: Membership
  /** What this node does. */
  does: ReadonlySet<Part>
  bus: Bus
  changes: Changes
  access: Access
  parts: AccessParts
  path: Path
  rulesOf(app: number): Promise<AppRules>
  receipts: Receipts
  gateway: Gateway
  deliver: Deliver
  attachments: AttachmentParts
  accounts: Accounts
  desk: Desk
  lanes: Lanes
  figures: Figures
  /** Whoever asks whether it is ready is sent elsewhere. */
  isStopping: boolean
}
