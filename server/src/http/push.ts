import { Notify } from '@carillon/protocol/notify.ts'
import { readNotify } from '@carillon/protocol/read-notify.ts'
import type { Clock } from '../clock.ts'
import type { Scope } from '../store/scope.ts'
import { type Route, route } from './route.ts'

export interface PushParts {
  clock: Clock
  accept(scope: Scope, notify: Notify): Promise<number>
}

export const pushRoutes = ({ clock, accept }: PushParts): Route[] => [
  route({
    method: 'POST',
    path: '/push/notify',
    who: 'any',
    summary: 'Send a notification to an audience; answers when it is stored',
    body: Notify,
    readBody: (sent) => readNotify(sent, { now: clock.now() }),
    handle: async ({ scope, body }) => ({ task_id: await accept(scope, body) }),
  }),
]
