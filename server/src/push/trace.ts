import { type ChannelName, type StepName, channels } from '@carillon/protocol/names.ts'
import { type Grounds, type Reason, groundsOf, plainly, reasonOf } from '@carillon/protocol/sentences/reasons.ts'
import { stepSentences } from '@carillon/protocol/sentences/steps.ts'
import { type DeliveryState, RECEIVED, SENT, levelOf, seenOf, stateOf } from '../store/ledger.ts'
import type { TaskRow } from '../store/tasks.ts'
import type { TracedBatch } from '../store/trace.ts'

/** One step of a delivery, for programs and in words. `at` is null where only the present state is known. */
export interface Step {
  at: number | null
  what: StepName
  channel?: ChannelName
  why?: string
  reason?: Reason
  text: string
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

const ofTask = (what: StepName, at: number | null): Step => ({ at, what, text: stepSentences[what] })

/** Why did this device get it, or not? */
export const traceInWords = (task: TaskRow, batches: readonly TracedBatch[]): Step[] => {
  const steps: Step[] = [ofTask('accepted', task.accepted_at)]
  if (task.state === 'accepted') steps.push(ofTask('to_be_planned', task.plan_at))
  else if (batches.length === 0) steps.push(ofTask(task.plan_at === null ? 'not_in_audience' : 'not_reached_yet', null))
  for (const batch of batches) steps.push(...stepsOf(batch))
  if (task.state === 'cancelled') steps.push(ofTask('cancelled', task.finished_at))
  return steps
}

const reasoned = (grounds: Grounds): Pick<Step, 'why' | 'reason'> => {
  const reason = reasonOf(grounds)
  return { why: grounds.why, ...(reason && { reason }) }
}

/** No channel was chosen, or not yet. */
const unchosen = (what: 'not_sent' | 'held', grounds: Grounds): Step => ({
  at: null, what, ...reasoned(grounds), text: `${stepSentences[what]}: ${grounds.why}`,
})

const stepsOf = (batch: TracedBatch): Step[] => {
  const { byte, log, dueAt } = batch
  if (batch.channel === 'none') return [unchosen('not_sent', groundsOf(batch.reason))]
  const channel = channels.find((name) => name === batch.channel)
  const step = (what: StepName, at: number | null, { why, ...more }: Partial<Grounds> = {}): Step => ({
    at, what, ...(channel && { channel }), ...(why && reasoned({ why, ...more })),
    text: `${batch.channel}: ${stepSentences[what]}${why ? ` (${why})` : ''}`,
  })
  const steps: Step[] = channel
    ? [{ ...step('chosen', null), text: `${channel} ${stepSentences.chosen}` }]
    : [unchosen('held', batch.reason === null ? plainly('until_later') : groundsOf(batch.reason))]
  for (const { at, what, ...grounds } of log) {
    if (what === 'received' && levelOf(byte) < RECEIVED) continue
    if (what === 'sent' && levelOf(byte) < SENT) continue
    steps.push(step(happened[what] ?? 'unknown', at, grounds))
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
