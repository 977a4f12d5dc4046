import { ReceiptsTaken } from '@carillon/protocol/task-answers.ts'
import { ReceiptList } from '@carillon/protocol/bodies.ts'
import type { ReceiptEvent } from '@carillon/protocol/names.ts'
import type { Scope } from '../store/scope.ts'
import { some } from './examples.ts'
import { type Route, route } from './route.ts'

export interface ReceiptParts {
  report(report: { app: number; deviceId: number; taskId: number; event: ReceiptEvent; channel?: string; at?: number }): Promise<boolean>
  /** The device a call speaks of: the token's own, or the one named by its push token. */
  thisDevice(scope: Scope, pushToken: string | undefined): Promise<number>
}

export const receiptRoutes = ({ report, thisDevice }: ReceiptParts): Route[] => [
  route({
    method: 'POST',
    path: '/push/receipt',
    who: 'user',
    noun: 'receipts',
    summary: 'A device tells what became of pushes: received, shown, clicked or dismissed. Repeats change nothing.',
    body: ReceiptList,
    answer: ReceiptsTaken,
    refuses: ['notFound'],
    example: { body: { list: [{ task_id: some.task_id, event: 'clicked' }] }, answer: { accepted: 1 } },
    handle: async ({ scope, body }) => {
      const deviceId = await thisDevice(scope, body.push_token)
      let accepted = 0
      for (const { task_id, event, channel, at } of body.list) {
        if (typeof task_id !== 'number') continue
        if (await report({ app: scope.app.id, deviceId, taskId: task_id, event, channel, at })) accepted++
      }
      return { accepted }
    },
  }),
]
