import { type DeliveryState, RECEIVED, SENT, levelOf, seenOf, stateOf } from '../store/ledger.ts'
import type { TaskRow } from '../store/tasks.ts'
import type { TracedBatch } from '../store/trace.ts'

/** One step of a delivery, in words. `at` is null where only the present state is known. */
export interface Step {
  at: number | null
  text: string
}

const heldWords = 'held back'
const seenWords = ['', 'the device has shown it', 'the person has dismissed it', 'the person has clicked it']

const endings: Record<DeliveryState, string | undefined> = {
  pending: undefined,
  waiting: 'it waits in the inbox until the device connects',
  done: undefined,
  moved: 'it went on to the next channel',
  refused: 'it ended here: no channel could take it',
  dead: 'it ended here: the vendor says this address is gone',
  expired: 'it expired',
  cancelled: 'it was cancelled',
  overflow: 'it was dropped from the inbox, which was full of newer ones',
  replaced: 'a newer push with the same collapse_id took its place',
  planned: 'a dry run: it would have been sent here',
  untargeted: undefined,
}

const happened: Record<string, string> = {
  sent: 'handed over',
  received: 'acknowledged',
  shown: 'the device has shown it',
  dismissed: 'the person has dismissed it',
  clicked: 'the person has clicked it',
  away: 'the device was away, or did not acknowledge in time',
  queued: 'the device was busy; it takes this from its inbox',
  later: 'not taken yet',
  dead: 'the vendor says this address is gone',
  refused: 'refused',
  denied: 'our credentials were not accepted',
  lost: 'the answer was lost; it may have been taken, and is sent again',
  unknown: 'nobody knows what became of it',
}

/** Why did this device get it, or not? */
export const traceInWords = (task: TaskRow, batches: readonly TracedBatch[]): Step[] => {
  const steps: Step[] = [{ at: task.accepted_at, text: 'the task was accepted' }]
  if (task.state === 'accepted') steps.push({ at: task.plan_at, text: 'it will be planned then' })
  else if (batches.length === 0) {
    steps.push({ at: null, text: task.plan_at === null ? 'the device was not in the audience when the task was planned' : 'the device has not been reached by planning yet' })
  }
  for (const batch of batches) steps.push(...stepsOf(batch))
  if (task.state === 'cancelled') steps.push({ at: task.finished_at, text: 'the task was cancelled' })
  return steps
}

const stepsOf = (batch: TracedBatch): Step[] => {
  if (batch.channel === 'none') return [{ at: null, text: `not sent: ${batch.reason ?? 'no channel could be chosen'}` }]
  const steps: Step[] =
    batch.channel === 'held'
      ? [{ at: null, text: `${heldWords}: ${batch.reason ?? 'until later'}` }]
      : [{ at: null, text: `${batch.channel} was chosen` }]
  for (const { at, what, why } of batch.log) {
    if (what === 'received' && levelOf(batch.byte) < RECEIVED) continue
    if (what === 'sent' && levelOf(batch.byte) < SENT) continue
    const words = happened[what] ?? what
    steps.push({ at, text: `${batch.channel}: ${words}${why ? ` (${why})` : ''}` })
  }
  const state = stateOf(batch.byte)
  const ending = endings[state]
  if (ending) steps.push({ at: null, text: `${batch.channel}: ${ending}` })
  if (state === 'pending') steps.push({ at: batch.dueAt, text: levelOf(batch.byte) >= SENT ? `${batch.channel}: its acknowledgement is awaited until then` : `${batch.channel}: due then` })
  const isTold = batch.log.some(({ what }) => what === 'shown' || what === 'dismissed' || what === 'clicked')
  if (seenOf(batch.byte) > 0 && !isTold) steps.push({ at: null, text: `${batch.channel}: ${seenWords[seenOf(batch.byte)]}` })
  return steps
}
