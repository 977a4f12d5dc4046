import { type Draft, withAudience, withValue } from './draft.ts'

/** Who gets a trial: one device. */
export interface TrialDevice {
  kind: 'push_token' | 'alias'
  item: string
}

/** The same message to one device, at once; with an id of its own, so that the real one is not used up. */
export const trialOf = (draft: Draft, { kind, item }: TrialDevice, requestId: string): Draft => {
  const now = withValue(withValue(draft, 'setting.send_time', ''), 'setting.dry_run', '')
  return withValue(withAudience(now, kind, [item]), 'setting.request_id', requestId)
}
