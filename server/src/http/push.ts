import { TaskMade } from '@carillon/protocol/task-answers.ts'
import { Refused } from '@carillon/protocol/errors.ts'
import { Notify } from '@carillon/protocol/notify.ts'
import { readNotify } from '@carillon/protocol/read-notify.ts'
import type { Clock } from '../clock.ts'
import type { Scope } from '../store/scope.ts'
import { some } from './examples.ts'
import { type Route, route } from './route.ts'

const IMAGE_UNDER = 1024 * 1024

export interface PushParts {
  clock: Clock
  accept(scope: Scope, notify: Notify): Promise<number>
  /** The size of an attachment of ours; undefined for one that is not. */
  sizeOf(attachmentUrl: string): Promise<number | undefined>
}

export const pushRoutes = ({ clock, accept, sizeOf }: PushParts): Route[] => [
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
]
