import type { Alarm } from '@carillon/protocol/console-answers.ts'
import { vendorOfProvider } from '@carillon/protocol/names.ts'
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
  if (pushOff) alarms.push({ kind: 'push_off', text: 'push is switched off for this app: notify is refused', since: figures.pushOffSince ?? null })
  for (const { vendor, environment, name, expires_at } of figures.certificates) {
    const expired = expires_at <= now
    const text = `the certificate ${name} ${expired ? 'ended' : 'ends'} on ${day(expires_at)}`
    alarms.push({ kind: expired ? 'certificate_expired' : 'certificate_expiring', vendor, environment, text, since: expired ? expires_at : null })
  }
  for (const { provider, environment, state, why, tokens_dying_since } of lanes) {
    const vendor = vendorOfProvider[provider]!
    if (tokens_dying_since !== null) {
      const text = 'so many tokens are called dead that none of it is believed: most likely the certificate or its environment is wrong'
      alarms.push({ kind: 'tokens_dying', vendor, environment, text, since: tokens_dying_since })
    }
    if (state !== 'open') alarms.push({ kind: 'lane_paused', vendor, environment, text: why ?? 'it takes nothing at the moment', since: null })
  }
  const { webhook } = figures
  if (webhook) {
    const lost = webhook.given_up > 0 ? `; ${webhook.given_up} were given up` : ''
    alarms.push({ kind: 'webhook_failing', text: `events are not taken by the webhook (${webhook.answer})${lost}`, since: webhook.since })
  }
  if (deaf) alarms.push({ kind: 'bus_down', text: `the nodes cannot hear one another: pushes take a second longer (${deaf.why})`, since: deaf.since })
  return alarms
}
