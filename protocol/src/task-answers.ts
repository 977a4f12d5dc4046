import type { Static, TSchema } from 'typebox'
import { Count, Id, Millis, OrNull, Rows, Sentence, Words } from './answer-types.ts'
import { type Counters, emptyCounters, type Tally } from './counters.ts'
import { audienceKinds, channels, deliveryWords, stepNames, taskStates } from './names.ts'
import { Message, Setting } from './notify.ts'
import { reasonSentences } from './sentences/reasons.ts'
import { Type } from './type.ts'
import { OneOf } from './types.ts'

/** What calls about tasks answer: the schemas of `data`. */

export const TaskMade = Type.Object({ task_id: Id('The task, which is on stable storage now.') })

const meanings: Record<string, string> = {
  target: 'Devices this channel was chosen for.',
  sent: 'Handed over.',
  received: 'The device, or the vendor for it, said so.',
}

export const TaskCounters = Type.Unsafe<Counters>(
  Type.Object(
    Object.fromEntries(
      Object.keys(emptyCounters(0)).map((name) => [
        name,
        name === 'task_id' ? Id('The task.') : Count(meanings[name.slice(name.lastIndexOf('_') + 1)]!),
      ]),
    ),
    { title: 'Counters', description: 'For each channel target ≥ sent ≥ received; none of them ever falls.' },
  ),
)
export const CounterList = Rows(TaskCounters)

export const TaskEnd = Type.Object({ task_id: Id('The task.'), state: OneOf(taskStates) })

const summary = {
  task_id: Id('The task.'),
  state: OneOf(taskStates, { description: 'The last three are endings. done: nothing is left to try.' }),
  scope: Words('Who sent it: app, `group 3` or `user 7`.'),
  dry_run: Type.Boolean(),
  accepted_at: Millis('When it was accepted'),
  planned_for: OrNull(Millis('When planning is due; null once it is done')),
  expires_at: Millis('When what has not arrived is dropped'),
  finished_at: OrNull(Millis('When it ended')),
  purged: Type.Boolean({ description: 'Its content is no longer kept; the counters are.' }),
}

export const TaskSummary = Type.Object(
  {
    ...summary,
    title: OrNull(Words('The beginning of what is shown; null where there is none, and once its content is purged.')),
    audience_kind: OrNull(OneOf(audienceKinds, { description: 'By what its audience asks; null where that is not known any more.' })),
    sums: Type.Unsafe<Tally | null>({
      anyOf: [Type.Object({ target: Count(meanings.target!), sent: Count(meanings.sent!), received: Count(meanings.received!) }), { type: 'null' }],
      description: 'Over all channels. null where a page holds so many broadcasts that adding up takes too long: see /push/task/detail.',
    }),
  },
  { title: 'TaskSummary' },
)
export type TaskSummary = Static<typeof TaskSummary>
export const TaskSummaries = Rows(TaskSummary)

const audienceShown = 'As it was sent; of push tokens, how many were asked for and how many are known.'
const shownOrNull = <S extends TSchema>(schema: S, description: string) =>
  Type.Unsafe<unknown>({ anyOf: [schema, { type: 'null' }], description })

const Fate = Type.Object(
  {
    channel: OrNull(OneOf(channels, { description: 'On which channel; null where none was chosen, or not yet.' })),
    state: OneOf(deliveryWords, { description: 'Where these deliveries stand, or how they ended.' }),
    reason: Type.Optional(Sentence(reasonSentences, 'Why there is no channel.')),
    why: Type.Optional(Words('The same in words.')),
    deliveries: Count('How many.'),
  },
  { title: 'Fate' },
)
export type Fate = Static<typeof Fate>

export const TaskDescription = Type.Object(
  {
    ...summary,
    audience: Type.Unsafe<unknown>({
      anyOf: [{ type: 'string', const: 'all' }, { type: 'object', additionalProperties: true }, { type: 'null' }],
      description: audienceShown,
    }),
    setting: shownOrNull(Setting, 'As it was sent; null when purged.'),
    message: shownOrNull(Message, 'As it was sent; null when purged.'),
    counters: TaskCounters,
    waiting: Count('Deliveries that wait in inboxes.'),
    reasons: Type.Unsafe<Record<string, number>>({
      type: 'object',
      additionalProperties: { type: 'integer' },
      description: 'How many deliveries ended, or stand, in which way: `nativepush: received`, `none: push is off`.',
    }),
    fates: Rows(Fate, 'The same, for programs.'),
  },
  { title: 'Task' },
)
export type TaskDescription = Static<typeof TaskDescription>

const Step = Type.Object(
  {
    at: OrNull(Millis('When; null where only the present state is known')),
    what: OneOf(stepNames, { description: 'What happened, for programs.' }),
    channel: Type.Optional(OneOf(channels, { description: 'On which channel.' })),
    why: Type.Optional(Words('Why, where somebody has said so: most often the vendor.')),
    reason: Type.Optional(Sentence(reasonSentences, 'The same by its name; missing if it was stored without one.')),
    text: Words('All of it, in words for a person.'),
  },
  { title: 'Step' },
)
export const TaskTrace = Type.Object({ task_id: Id('The task.'), state: OneOf(taskStates), steps: Rows(Step) })

export const TaskSeries = Rows(
  Type.Object(
    {
      at: Millis('From when on'),
      channel: OneOf(channels),
      sent: Count('Handed over until the next point.'),
      received: Count('Received until then.'),
    },
    { title: 'Point' },
  ),
)
export type TaskSeries = Static<typeof TaskSeries>

export const ReceiptsTaken = Type.Object({
  accepted: Count('How many are about pushes this device was sent; the others are ignored.'),
})
