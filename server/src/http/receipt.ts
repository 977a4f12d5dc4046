import { Type } from 'typebox'
import { ReceiptList } from '@carillon/protocol/bodies.ts'
import type { ReceiptEvent } from '@carillon/protocol/names.ts'
import { Text } from '@carillon/protocol/types.ts'
import type { Scope } from '../store/scope.ts'
import { type Route, route } from './route.ts'

export interface ReceiptParts {
  report(report: { app: number; deviceId: number; taskId: number; event: ReceiptEvent; channel?: string }): Promise<boolean>
  /** The device a call speaks of: the token's own, or the one named by its push token. */
  thisDevice(scope: Scope, pushToken: string | undefined): Promise<number>
}

const Body = Type.Object({ ...ReceiptList.properties, push_token: Type.Optional(Text(512)) })

export const receiptRoutes = ({ report, thisDevice }: ReceiptParts): Route[] => [
  route({
    method: 'POST',
    path: '/push/receipt',
    who: 'user',
    summary: 'A device reports what became of pushes: received, shown, clicked, dismissed',
    body: Body,
    handle: async ({ scope, body }) => {
      const deviceId = await thisDevice(scope, body.push_token)
      let accepted = 0
      for (const { task_id, event, channel } of body.list) {
        if (typeof task_id !== 'number') continue
        if (await report({ app: scope.app.id, deviceId, taskId: task_id, event, channel })) accepted++
      }
      return { accepted }
    },
  }),
]
