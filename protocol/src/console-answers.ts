import type { Static } from 'typebox'
import { Count, Id, Millis, OrNull, Rows, Sentence, Words } from './answer-types.ts'
import { Lane } from './answers.ts'
import type { Tally } from './counters.ts'
import { type ChannelName, vendorNames } from './names.ts'
import { type AlarmKind, alarmSentences } from './sentences/alarms.ts'
import { reasonSentences } from './sentences/reasons.ts'
import { Type } from './type.ts'
import { described, Int, OneOf } from './types.ts'

/** What calls of the console answer: the schemas of `data`. */

export const ConsoleSession = Type.Object(
  {
    app_id: Type.String(),
    name: Words('What people call the app.'),
    token: Type.Object({
      id: Id('The admin token this session was opened with.'),
      name: OrNull(Type.String()),
      expires_at: OrNull(Millis('When it ends, and the session with it')),
    }),
  },
  { title: 'ConsoleSession' },
)
export type ConsoleSession = Static<typeof ConsoleSession>

export const ConsoleSessionOrNull = Type.Unsafe<ConsoleSession | null>({ anyOf: [ConsoleSession, { type: 'null' }] })

// How the app is doing

const tally = {
  target: Count('Devices this channel was chosen for.'),
  sent: Count('Handed over.'),
  received: Count('The device, or the vendor for it, said so.'),
}

const alarmKinds = Object.keys(alarmSentences) as AlarmKind[]

export const Alarm = Type.Object(
  {
    kind: OneOf(alarmKinds),
    vendor: Type.Optional(OneOf(vendorNames)),
    environment: Type.Optional(Int(0, 1, { description: '0 development, 1 production.' })),
    text: Words('What is wrong, in words for a person.'),
    told: Sentence(alarmSentences, 'The same by its name, which is the kind of the alarm.'),
    reason: Type.Optional(Sentence(reasonSentences, 'Why a lane is paused, which is all its text says.')),
    since: OrNull(Millis('Since when; null where nobody knows')),
  },
  { title: 'Alarm' },
)
export type Alarm = Static<typeof Alarm>

export const Overview = Type.Object(
  {
    at: Millis('When these figures were read'),
    pushes_per_minute: Count('Handed over in the last 60 seconds, over all channels.'),
    devices_online: Count('Devices that are connected and subscribed, to whichever node.'),
    devices: Count('All devices of the app.'),
    users: Count('All users of the app.'),
    funnel: Type.Unsafe<Partial<Record<ChannelName, Tally>>>({
      type: 'object',
      additionalProperties: Type.Object(tally),
      description: 'What happened on each channel in the last hour; a channel on which nothing did is left out.',
    }),
    per_minute: Rows(
      Type.Object({
        at: Millis('When the minute began'),
        accepted: Count('Tasks accepted.'),
        sent: Count('Pushes handed over.'),
        received: Count('Pushes received.'),
      }),
      'The last 60 minutes, the oldest first; the last one is under way.',
    ),
    queue: Type.Object(
      {
        tasks: Count('Tasks that are due and not planned yet.'),
        batches: Count('Batches that wait for their vendor, or are late.'),
        events: Count('Events that wait to be told.'),
      },
      { description: 'What waits. Beyond 2000 of a kind nobody counts.' },
    ),
    lanes: described(Rows(Lane), 'As in /push/lane/list.'),
    alarms: Rows(Alarm, 'What somebody should look at, the worst first.'),
  },
  { title: 'Overview' },
)
export type Overview = Static<typeof Overview>
