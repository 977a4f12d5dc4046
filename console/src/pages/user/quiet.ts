import type { SetPush } from '@carillon/protocol/bodies.ts'
import type { PushWishes } from '@carillon/protocol/device-answers.ts'

/** app: the app's hours, since the user has set none; never: none at all; own: from hour to hour. */
export const quietKinds = ['app', 'never', 'own'] as const
export type QuietKind = (typeof quietKinds)[number]

export interface QuietForm {
  enabled: boolean
  kind: QuietKind
  start: number
  end: number
  timeZone: string
}

const USUAL = { start: 22, end: 8 }

/** Equal hours mean that there are none. */
export const quietKindOf = ({ no_push_start_hour: start, no_push_end_hour: end }: PushWishes): QuietKind => {
  if (start === null || end === null) return 'app'
  return start === end ? 'never' : 'own'
}

export const quietForm = (push: PushWishes, zoneHere: string): QuietForm => {
  const kind = quietKindOf(push)
  return {
    enabled: push.enabled,
    kind,
    start: kind === 'own' ? push.no_push_start_hour! : USUAL.start,
    end: kind === 'own' ? push.no_push_end_hour! : USUAL.end,
    timeZone: push.time_zone ?? zoneHere,
  }
}

/** The call takes hours alone: none mean the app's, equal ones that it is never quiet. */
export const setPushOf = ({ enabled, kind, start, end, timeZone }: QuietForm): SetPush => {
  if (kind === 'app') return { enabled }
  const [from, to] = kind === 'own' ? [start, end] : [0, 0]
  const zone = timeZone.trim()
  return { enabled, no_push_start_hour: from, no_push_end_hour: to, ...(zone !== '' && { time_zone: zone }) }
}

/** 22 as 22:00. */
export const hourText = (hour: number): string => `${String(hour).padStart(2, '0')}:00`
