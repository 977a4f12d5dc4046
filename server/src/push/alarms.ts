import type { Alarm } from '@carillon/protocol/console-answers.ts'
import { vendorOfProvider } from '@carillon/protocol/names.ts'
import { type AlarmTold, alarmSentences } from '@carillon/protocol/sentences/alarms.ts'
import { eventAnswerOf } from '@carillon/protocol/sentences/events.ts'
import type { Reason } from '@carillon/protocol/sentences/reasons.ts'
import { inEnglish } from '@carillon/protocol/sentences/sentence.ts'
import type { OverviewFigures } from '../store/overview.ts'

/** A lane as far as it may be a reason for alarm. */
export interface AlarmedLane {
  provider: number
  environment: number
  state: string
  why: string | null
  reason: Reason | null
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

type About = Omit<Alarm, 'kind' | 'text' | 'told'>

/** Its text is what its sentence says; of a paused lane, why that is. */
const alarm = (told: AlarmTold, about: About, why?: string | null): Alarm => ({
  kind: told.name, ...about, text: why ?? inEnglish(alarmSentences, told), told,
})

/** What is wrong, the worst first. */
export const alarmsOf = ({ figures, pushOff, lanes, deaf, now }: Seen): Alarm[] => {
  const alarms: Alarm[] = []
  if (pushOff) alarms.push(alarm({ name: 'push_off', values: {} }, { since: figures.pushOffSince ?? null }))
  for (const { vendor, environment, name, expires_at } of figures.certificates) {
    const expired = expires_at <= now
    const kind = expired ? 'certificate_expired' : 'certificate_expiring'
    const told = { name: kind, values: { name, day: day(expires_at) } } as const
    alarms.push(alarm(told, { vendor, environment, since: expired ? expires_at : null }))
  }
  for (const { provider, environment, state, why, reason, tokens_dying_since } of lanes) {
    const vendor = vendorOfProvider[provider]!
    if (tokens_dying_since !== null) {
      alarms.push(alarm({ name: 'tokens_dying', values: {} }, { vendor, environment, since: tokens_dying_since }))
    }
    if (state === 'open') continue
    const about = { vendor, environment, ...(reason && { reason }), since: null }
    alarms.push(alarm({ name: 'lane_paused', values: {} }, about, why))
  }
  const { webhook } = figures
  if (webhook) {
    const { answer, given_up, since } = webhook
    const heard = eventAnswerOf(answer)
    const seconds = heard.name === 'no_answer' ? heard.values.seconds : 0
    alarms.push(alarm({ name: 'webhook_failing', values: { answer, seconds, given_up } }, { since }))
  }
  if (deaf) alarms.push(alarm({ name: 'bus_down', values: { words: deaf.why } }, { since: deaf.since }))
  return alarms
}
