import { ReceiptItem } from '@carillon/protocol/bodies.ts'
import { ownChannel } from '@carillon/protocol/names.ts'
import { read } from '@carillon/protocol/read.ts'
import type { Logger } from 'pino'
import type { Access } from './access/access.ts'
import type { Delivery, GatewayPorts } from './gateway/ports.ts'
import type { Inbox } from './push/inbox.ts'
import type { Place, Receipts } from './push/receipts.ts'
import type { Presence } from './presence.ts'

interface Parts {
  log: Logger
  access: Access
  presence: Presence
  /** A device is here, and that is stored. */
  arrived(deviceId: number): void
  inbox: Inbox
  receipts: Receipts
}

const placeOf = ({ batchId, index, push: { appId, taskId } }: Delivery): Place => ({ app: appId, channel: ownChannel, taskId, batchId, index })

/** What sessions ask of the house and tell it. */
export const ownPorts = ({ log, access, presence, arrived, inbox, receipts }: Parts): GatewayPorts => ({
  authenticate: (pushToken, accessToken) => access.device(pushToken, accessToken),
  arrived: async (deviceId, session) => {
    await presence.arrived(deviceId, session)
    arrived(deviceId)
  },
  left: (deviceId, session) => presence.left(deviceId, session),
  inbox: ({ appId, deviceId }, afterTask, limit) => inbox.read(appId, deviceId, afterTask, limit),
  sent: (delivery, final) => receipts.sent(placeOf(delivery), final),
  received: (delivery) => receipts.received(placeOf(delivery)),
  unacknowledged: (deviceId, deliveries) => {
    void receipts.flush() // before it is found in the inbox it counts as sent: it comes again as a repeat
    inbox
      .keep(deviceId, deliveries)
      .catch((error: unknown) => log.warn({ err: error, device: deviceId }, 'unacknowledged pushes could not be put back; the sweep does'))
  },
  receipt: async ({ appId, deviceId }, item) => {
    const { task_id, event, channel, at } = read(ReceiptItem, item)
    if (typeof task_id === 'number') await receipts.report({ app: appId, deviceId, taskId: task_id, event, channel, at })
  },
})
