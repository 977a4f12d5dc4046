import { TaskMade } from '@carillon/protocol/task-answers.ts'
import { Refused } from '@carillon/protocol/errors.ts'
import { Count, Notify, Preflight } from '@carillon/protocol/notify.ts'
import { type Carried, CarriedList, Counted } from '@carillon/protocol/push-answers.ts'
import { readCount, readNotify, readPreflight } from '@carillon/protocol/read-notify.ts'
import type { Clock } from '../clock.ts'
import type { App, Scope } from '../store/scope.ts'
import { some } from './examples.ts'
import { type Route, route } from './route.ts'

const IMAGE_UNDER = 1024 * 1024

export interface PushParts {
  clock: Clock
  accept(scope: Scope, notify: Notify): Promise<number>
  count(scope: Scope, asked: Count): Promise<Counted>
  preflight(app: App, asked: Preflight): Promise<Carried[]>
  /** The size of an attachment of ours; undefined for one that is not. */
  sizeOf(attachmentUrl: string): Promise<number | undefined>
}

export const pushRoutes = ({ clock, accept, count, preflight, sizeOf }: PushParts): Route[] => [
  route({
    method: 'POST',
    path: '/push/notify',
    who: 'any',
    noun: 'push',
    summary: 'Sends a notification to an audience. Answers when it is on stable storage.',
    body: Notify,
    readBody: (sent) => readNotify(sent, { now: clock.now() }),
    answer: TaskMade,
    refuses: ['pushSwitchedOff'],
    example: {
      body: {
        audience: { user_id: [some.user_id] },
        message: { title: 'Hello', body: 'there', ext: { order: 7 } },
        setting: { request_id: 'order-7', time_to_live: 3600 },
      },
      answer: { task_id: some.task_id },
    },
    handle: async ({ scope, body }) => {
      const { type, attachment_url } = body.message
      if (type === 'image' && ((await sizeOf(attachment_url!)) ?? 0) >= IMAGE_UNDER) throw new Refused('imageTooLarge')
      return { task_id: await accept(scope, body) }
    },
  }),
  route({
    method: 'POST',
    path: '/push/count',
    who: 'admin',
    noun: 'push',
    summary: 'How many devices a notification would reach now, by the way it would take. Nothing is sent.',
    body: Count,
    readBody: (sent) => readCount(sent, { now: clock.now() }),
    answer: Counted,
    example: {
      body: { audience: { user_id: [some.user_id] } },
      answer: {
        channels: { nativepush: 1, xiaomi: 1 },
        inbox: 0,
        held: 0,
        none: { 'the device is logged out': 1 },
        reasons: [{ reason: { name: 'logged_out', values: {} }, devices: 1 }],
        devices: 3,
        complete: true,
      },
    },
    handle: ({ scope, body }) => count(scope, body),
  }),
  route({
    method: 'POST',
    path: '/push/preflight',
    who: 'admin',
    noun: 'push',
    summary:
      'What each channel would carry of a message: what is shown, what is cut, what has no place. Nothing is sent.',
    body: Preflight,
    readBody: (sent) => readPreflight(sent, { now: clock.now() }),
    answer: CarriedList,
    example: {
      body: { message: { title: 'Hello', body: 'there', android: { sound: 'bell.mp3' } } },
      answer: [
        {
          vendor: 'honor',
          carries: true,
          certificate: true,
          title: 'Hello',
          body: 'there',
          big_text: null,
          image: null,
          cut: [],
          dropped: [
            {
              field: 'message.android.sound',
              why: 'Honor Push has no place for it',
              reason: { name: 'no_place', values: { title: 'Honor Push' } },
            },
          ],
          bytes: 212,
          limit: 4096,
        },
      ],
    },
    handle: ({ app, body }) => preflight(app, body),
  }),
]
