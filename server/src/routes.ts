import { Refused } from '@carillon/protocol/errors.ts'
import { ownChannel as ownName } from '@carillon/protocol/names.ts'
import { sizeOfAttachment } from './access/attachments.ts'
import { appOfReceipt } from './access/receipt-secret.ts'
import { hashToken } from './access/token.ts'
import { openStream } from './gateway/stream.ts'
import type { House } from './house.ts'
import { appRoutes } from './http/app.ts'
import { certificateRoutes } from './http/certificate.ts'
import { deviceRoutes } from './http/device.ts'
import { fileRoutes } from './http/file.ts'
import { groupRoutes } from './http/group.ts'
import { laneRoute } from './http/lane.ts'
import { metricsRoute } from './http/metrics.ts'
import { operationsRoutes } from './http/operations.ts'
import { pushRoutes } from './http/push.ts'
import { receiptRoutes } from './http/receipt.ts'
import type { Route } from './http/route.ts'
import { streamRoute } from './http/stream.ts'
import { taskRoutes } from './http/task.ts'
import { known, thisDevice } from './http/this-device.ts'
import { tokenRoutes } from './http/token.ts'
import { userRoutes } from './http/user.ts'
import { vendorReceiptRoute } from './http/vendor-receipt.ts'
import { vendorTokenRoutes } from './http/vendor-token.ts'
import { webhookRoutes } from './http/webhook.ts'
import { metricsText } from './metrics.ts'
import { accept } from './push/accept.ts'
import { findDevice } from './store/devices.ts'
import { touchNode } from './store/nodes.ts'
import type { Scope } from './store/scope.ts'
import { deviceInScope } from './store/trace.ts'
import { receiveReport } from './vendors/receiving.ts'
import { tryAccount } from './vendors/trying.ts'
import { checkCredentials } from './vendors/vendors.ts'

const BACKLOG_LIMIT = 20_000

/** Every call of the API, each with the steps it needs. */
export const routesOf = (house: House): Route[] => {
  const { store, clock, log, seal, changes, access, accounts, desk, parts, path, receipts, gateway, attachments, node } = house
  const { sessions } = gateway
  return [
    ...tokenRoutes(parts),
    ...userRoutes(parts),
    ...groupRoutes(parts),
    ...deviceRoutes({ store, clock, seal, changes, isAlive: (other) => other === node }),
    ...vendorTokenRoutes({ store, clock }),
    ...certificateRoutes({
      store, clock, seal, changes,
      checkCredentials: (vendor, environment, fields) => checkCredentials(vendor, environment, fields, clock.now()),
      tryCredentials: ({ app, vendor, environment }) => tryAccount(desk, app, vendor, environment),
      receiptUrl: ({ app, vendor }) => desk.receiptUrl(app, vendor) ?? null,
    }),
    laneRoute({ lanes: (app) => desk.reports(app) }),
    ...fileRoutes(attachments),
    ...pushRoutes({
      clock,
      sizeOf: (url) => sizeOfAttachment(attachments, url),
      accept: (scope, notify) => {
        if (store.backlog > BACKLOG_LIMIT) {
          throw new Refused('tooMany', 'too many notifications are waiting to be stored', { retryAfter: 1 })
        }
        return accept(path, scope, notify)
      },
    }),
    ...taskRoutes({
      store, clock,
      deviceOf: (scope, pushToken) =>
        store.read(deviceInScope, { app: scope.app.id, scopeKind: scope.kind, scopeId: scope.id, pushTokenHash: hashToken(pushToken) }),
    }),
    ...receiptRoutes({
      report: (report) => {
        // A stream has no other way to acknowledge; what is in the air there came through the own channel.
        const ofOwn = report.channel === undefined || report.channel === ownName
        const acknowledged = ofOwn && sessions.acknowledged(report.deviceId, report.taskId)
        return receipts.report(acknowledged ? { ...report, channel: ownName } : report)
      },
      thisDevice: async (scope: Scope, pushToken) => {
        const device = await store.read(findDevice, thisDevice(scope, { push_token: pushToken }))
        known(device !== undefined)
        return device!
      },
    }),
    vendorReceiptRoute({
      report: async ({ secret, ...call }) => {
        const app = appOfReceipt(seal, secret)
        return app === undefined ? { outcome: 'unknown' } : receiveReport({ store, clock, log, accounts, receipts }, { app, ...call })
      },
    }),
    ...appRoutes({ store, clock, changes }),
    ...webhookRoutes({ store, clock, seal }),
    streamRoute({ open: (credentials, response) => openStream(gateway, credentials, response) }),
    metricsRoute({ text: metricsText, operator: (token) => access.operator(token) }),
    ...operationsRoutes({ checks: async () => [{ name: 'store', ...(await storeWorks(house)) }] }),
  ]
}

const storeWorks = async ({ store, node }: House): Promise<{ ok: boolean; why?: string }> => {
  try {
    await store.write(touchNode, { node })
    return { ok: true }
  } catch (error) {
    return { ok: false, why: error instanceof Error ? error.message : String(error) }
  }
}
