import { type ChannelName, type StepName, channels } from '@carillon/protocol/names.ts'
import { type DeliveryState, RECEIVED, SENT, levelOf, seenOf, stateOf } from '../store/ledger.ts'
import type { TaskRow } from '../store/tasks.ts'
import type { TracedBatch } from '../store/trace.ts'

/** One step of a delivery, for programs and in words. `at` is null where only the present state is known. */
export interface Step {
  at: number | null
  what: StepName
  channel?: ChannelName
  why?: string
  text: string
}

const words: Record<StepName, string> = {
  accepted: 'the task was accepted',
  to_be_planned: 'it will be planned then',
  not_in_audience: 'the device was not in the audience when the task was planned',
  not_reached_yet: 'the device has not been reached by planning yet',
  not_sent: 'not sent',
  held: 'held back',
  chosen: 'was chosen',
  sent: 'handed over',
  received: 'acknowledged',
  shown: 'the device has shown it',
  dismissed: 'the person has dismissed it',
  clicked: 'the person has clicked it',
  away: 'the device was away, or did not acknowledge in time',
  queued: 'the device was busy; it takes this from its inbox',
  later: 'not taken yet',
  gone: 'the vendor says this address is gone',
  refused: 'refused',
  denied: 'our credentials were not accepted',
  lost: 'the answer was lost; it may have been taken, and is sent again',
  unknown: 'nobody knows what became of it',
  due: 'due then',
  awaited: 'its acknowledgement is awaited until then',
  in_inbox: 'it waits in the inbox until the device connects',
  moved_on: 'it went on to the next channel',
  ended: 'it ended here: no channel could take it',
  ended_gone: 'it ended here: the vendor says this address is gone',
  expired: 'it expired',
  withdrawn: 'it was cancelled',
  overflow: 'it was dropped from the inbox, which was full of newer ones',
  replaced: 'a newer push with the same collapse_id took its place',
  dry_run: 'a dry run: it would have been sent here',
  cancelled: 'the task was cancelled',
}

/** What a delivery's present state says of its way; the others are seen by other steps. */
const endings: Partial<Record<DeliveryState, StepName>> = {
  waiting: 'in_inbox', moved: 'moved_on', refused: 'ended', dead: 'ended_gone', expired: 'expired', cancelled: 'withdrawn',
  overflow: 'overflow', replaced: 'replaced', planned: 'dry_run',
}

/** What became of one handing over, as a batch's log tells it. */
const happened: Record<string, StepName> = {
  sent: 'sent', received: 'received', shown: 'shown', dismissed: 'dismissed', clicked: 'clicked', away: 'away', queued: 'queued',
  later: 'later', dead: 'gone', refused: 'refused', denied: 'denied', lost: 'lost',
}

const seen = [undefined, 'shown', 'dismissed', 'clicked'] as const

const ofTask = (what: StepName, at: number | null): Step => ({ at, what, text: words[what] })

/** Why did this device get it, or not? */
export const traceInWords = (task: TaskRow, batches: readonly TracedBatch[]): Step[] => {
  const steps: Step[] = [ofTask('accepted', task.accepted_at)]
  if (task.state === 'accepted') steps.push(ofTask('to_be_planned', task.plan_at))
  else if (batches.length === 0) steps.push(ofTask(task.plan_at === null ? 'not_in_audience' : 'not_reached_yet', null))
  for (const batch of batches) steps.push(...stepsOf(batch))
  if (task.state === 'cancelled') steps.push(ofTask('cancelled', task.finished_at))
  return steps
}

const stepsOf = (batch: TracedBatch): Step[] => {
  const { byte, log, dueAt } = batch
  const reasoned = (what: 'not_sent' | 'held', why: string): Step => ({ at: null, what, why, text: `${words[what]}: ${why}` })
  if (batch.channel === 'none') return [reasoned('not_sent', batch.reason ?? 'no channel could be chosen')]
  const channel = channels.find((name) => name === batch.channel)
  const step = (what: StepName, at: number | null, why?: string): Step => ({
    at, what, ...(channel && { channel }), ...(why && { why }), text: `${batch.channel}: ${words[what]}${why ? ` (${why})` : ''}`,
  })
  const steps: Step[] = channel
    ? [{ ...step('chosen', null), text: `${channel} ${words.chosen}` }]
    : [reasoned('held', batch.reason ?? 'until later')]
  for (const { at, what, why } of log) {
    if (what === 'received' && levelOf(byte) < RECEIVED) continue
    if (what === 'sent' && levelOf(byte) < SENT) continue
    steps.push(step(happened[what] ?? 'unknown', at, why))
  }
  const state = stateOf(byte)
  const ending = endings[state]
  if (ending) steps.push(step(ending, null))
  if (state === 'pending') steps.push(step(levelOf(byte) >= SENT ? 'awaited' : 'due', dueAt))
  const isTold = log.some(({ what }) => what === 'shown' || what === 'dismissed' || what === 'clicked')
  const lastSeen = seen[seenOf(byte)]
  if (lastSeen && !isTold) steps.push(step(lastSeen, null))
  return steps
}
