import type { Alarm } from '@carillon/protocol/console-answers.ts'
import { vendorOfProvider } from '@carillon/protocol/names.ts'
import { TOKENS_DYING } from '../store/guard.ts'
import type { OverviewFigures } from '../store/overview.ts'

/** A lane as far as it may be a reason for alarm. */
export interface AlarmedLane {
  provider: number
  environment: number
  state: string
  why: string | null
  tokens_dying_since: number | null
}

interface Seen {
  figures: Pick<OverviewFigures, 'certificates' | 'webhook' | 'pushOffSince'>
  pushOff: boolean
  lanes: readonly AlarmedLane[]
  deaf: { why: string; since: number } | undefined
  now: number
}

const day = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** What is wrong, the worst first. */
export const alarmsOf = ({ figures, pushOff, lanes, deaf, now }: Seen): Alarm[] => {
  const alarms: Alarm[] = []
  if (pushOff) {
    const text = 'push is switched off for this app: notify is refused'
    alarms.push({ kind: 'push_off', text, since: figures.pushOffSince ?? null })
  }
  for (const { vendor, environment, name, expires_at } of figures.certificates) {
    const expired = expires_at <= now
    const text = `the certificate ${name} ${expired ? 'ended' : 'ends'} on ${day(expires_at)}`
    const kind = expired ? 'certificate_expired' : 'certificate_expiring'
    alarms.push({ kind, vendor, environment, text, since: expired ? expires_at : null })
  }
  for (const { provider, environment, state, why, tokens_dying_since } of lanes) {
    const vendor = vendorOfProvider[provider]!
    if (tokens_dying_since !== null) {
      alarms.push({ kind: 'tokens_dying', vendor, environment, text: TOKENS_DYING, since: tokens_dying_since })
    }
    if (state === 'open') continue
    const text = why ?? 'it takes nothing at the moment'
    alarms.push({ kind: 'lane_paused', vendor, environment, text, since: null })
  }
  const { webhook } = figures
  if (webhook) {
    const lost = webhook.given_up > 0 ? `; ${webhook.given_up} were given up` : ''
    const text = `events are not taken by the webhook (${webhook.answer})${lost}`
    alarms.push({ kind: 'webhook_failing', text, since: webhook.since })
  }
  if (deaf) {
    const text = `the nodes cannot hear one another: pushes take a second longer (${deaf.why})`
    alarms.push({ kind: 'bus_down', text, since: deaf.since })
  }
  return alarms
}
