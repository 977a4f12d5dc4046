import { ownChannel } from '@carillon/protocol/names.ts'
import type { Message, Preflight, Setting } from '@carillon/protocol/notify.ts'
import type { Carried } from '@carillon/protocol/push-answers.ts'
import type { Clock } from './clock.ts'
import { EncodedPush } from './gateway/encode.ts'
import { badgeRule, expiryOf } from './push/task.ts'
import type { App } from './store/scope.ts'
import type { Accounts } from './vendors/accounts.ts'
import { preflightVendors } from './vendors/preflight.ts'

/** What every channel would carry of a message, the own one first; of none, what there is to know without one. */
export const preflight = async (
  { clock, accounts }: { clock: Clock; accounts: Accounts },
  app: App,
  { message, setting = {} }: Preflight,
): Promise<Carried[]> => {
  const now = clock.now()
  const draft = { message: message ?? {}, setting }
  const carried = [ownCarries(draft, now), ...preflightVendors(await accounts.of(app.id), draft, now)]
  return message ? carried : carried.map((one) => ({ ...one, title: null, body: null, bytes: 0 }))
}

const MQTT_5 = 5
const TASK_ID = 1_000_000 // of a usual length

/** The own channel carries everything as it is; what becomes of it is the app's to decide. */
const ownCarries = ({ message, setting }: { message: Message; setting: Setting }, now: number): Carried => {
  const { title = null, body = null, big_text = null, attachment_url = null } = message
  const expiresAt = expiryOf(message, setting, now)
  const push = new EncodedPush({ taskId: TASK_ID, appId: 0, message, setting, acceptedAt: now, expiresAt })
  return {
    vendor: ownChannel,
    carries: true,
    certificate: true,
    title,
    body,
    big_text,
    image: attachment_url,
    cut: [],
    dropped: [],
    bytes: push.size(MQTT_5, 1, badgeRule(message) && 0),
    limit: null,
  }
}
