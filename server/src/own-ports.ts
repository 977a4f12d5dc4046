import { ReceiptItem } from '@carillon/protocol/bodies.ts'
import { read } from '@carillon/protocol/read.ts'
import type { Logger } from 'pino'
import type { Access } from './access/access.ts'
import type { Clock } from './clock.ts'
import type { Delivery, GatewayPorts } from './gateway/ports.ts'
import type { Inbox } from './push/inbox.ts'
import type { Place, Receipts } from './push/receipts.ts'
import { writePresence } from './store/nodes.ts'
import type { Store } from './store/store.ts'

interface Parts {
  store: Store
  clock: Clock
  log: Logger
  node: number
  access: Access
  inbox: Inbox
  receipts: Receipts
}

const placeOf = ({ batchId, index, push }: Delivery): Place => ({ batchId, index, taskId: push.taskId })

/** What sessions ask of the house and tell it. */
export const ownPorts = ({ store, clock, log, node, access, inbox, receipts }: Parts): GatewayPorts => ({
  authenticate: (pushToken, accessToken) => access.device(pushToken, accessToken),
  arrived: (deviceId, session) => store.write(writePresence, { node, arrived: [{ deviceId, session }], left: [], now: clock.now() }),
  left: (deviceId, session) => {
    store
      .write(writePresence, { node, arrived: [], left: [{ deviceId, session }], now: clock.now() })
      .catch((error: unknown) => log.warn({ err: error, device: deviceId }, 'a departure could not be stored; the device counts as here until a push to it fails'))
  },
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
