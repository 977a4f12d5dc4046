import { Refused } from '@carillon/protocol/errors.ts'
import { ownChannel as ownName } from '@carillon/protocol/names.ts'
import { sizeOfAttachment } from './access/attachments.ts'
import { findConsole, openConsole } from './access/console.ts'
import { appOfReceipt } from './access/receipt-secret.ts'
import { hashToken } from './access/token.ts'
import { openStream } from './gateway/stream.ts'
import type { Bus } from './bus/bus.ts'
import type { House } from './house.ts'
import { adminTokenRoutes } from './http/admin-token.ts'
import { appRoutes } from './http/app.ts'
import { certificateRoutes } from './http/certificate.ts'
import { deviceLookRoutes } from './http/device-look.ts'
import { deviceRoutes } from './http/device.ts'
import { fileRoutes } from './http/file.ts'
import { groupRoutes } from './http/group.ts'
import { laneRoute, laneShown } from './http/lane.ts'
import { liveRoutes } from './http/live.ts'
import { metricsRoute } from './http/metrics.ts'
import { type Check, operationsRoutes } from './http/operations.ts'
import { pushRoutes } from './http/push.ts'
import { receiptRoutes } from './http/receipt.ts'
import type { Route } from './http/route.ts'
import { sessionRoutes } from './http/session.ts'
import { streamRoute } from './http/stream.ts'
import { taskRoutes, viewerOf } from './http/task.ts'
import { known, thisDevice } from './http/this-device.ts'
import { tokenRoutes } from './http/token.ts'
import { userLookRoutes } from './http/user-look.ts'
import { userRoutes } from './http/user.ts'
import { vendorReceiptRoute } from './http/vendor-receipt.ts'
import { vendorTokenRoutes } from './http/vendor-token.ts'
import { webhookRoutes } from './http/webhook.ts'
import { metricsText } from './metrics.ts'
import { accept } from './push/accept.ts'
import { Repeats } from './push/repeats.ts'
import { preflight } from './preflight.ts'
import { countAudience } from './push/count.ts'
import { lastPushes } from './push/device-look.ts'
import { overviews } from './push/overview.ts'
import { followTasks } from './push/task-looks.ts'
import { findDevice } from './store/devices.ts'
import { tellReceived } from './store/frames.ts'
import { touchNode } from './store/nodes.ts'
import type { Scope } from './store/scope.ts'
import { deviceInScope } from './store/trace.ts'
import { receiveReport } from './vendors/receiving.ts'
import { certificateForms } from './vendors/forms.ts'
import { tryAccount } from './vendors/trying.ts'
import { checkCredentials } from './vendors/vendors.ts'

const BACKLOG_LIMIT = 20_000

/** The calls this node answers: the API where it does that, streams where it holds sessions, and how it is everywhere. */
export const routesOf = (house: House): Route[] => {
  const { access, does, gateway } = house
  const always = [
    metricsRoute({ text: metricsText, operator: (token) => access.operator(token) }),
    ...operationsRoutes({ checks: () => checksOf(house) }),
  ]
  const stream = streamRoute({ open: (credentials, response) => openStream(gateway, credentials, response) })
  return [...(does.has('http') ? apiRoutes(house) : []), ...(does.has('gateway') ? [stream] : []), ...always]
}

/** Every call of the API, each with the steps it needs. */
const apiRoutes = (house: House): Route[] => {
  const { store, clock, log, seal, bus, changes, access, accounts, desk, parts, path, receipts, gateway, attachments, membership } = house
  const { sessions } = gateway
  const follow = followTasks(store, clock)
  const repeats = new Repeats()
  return [
    ...tokenRoutes(parts),
    ...sessionRoutes({
      open: (appId, token, address) => openConsole({ access, throttle: parts.throttle }, { appId, token, address }),
      find: (appId, token) => findConsole(access, appId, token),
    }),
    ...userRoutes(parts),
    ...groupRoutes(parts),
    ...deviceLookRoutes({
      store, clock, seal, changes, alive: () => membership.alive, lastPushes: (device) => lastPushes(store, device),
    }),
    ...userLookRoutes({ store, seal, alive: () => membership.alive }),
    ...deviceRoutes({ store, clock, seal, changes, isAlive: (other) => membership.alive.includes(other) }),
    ...vendorTokenRoutes({ store, clock }),
    ...certificateRoutes({
      store, clock, seal, changes,
      checkCredentials: (vendor, environment, fields) => checkCredentials(vendor, environment, fields, clock.now()),
      tryCredentials: ({ app, vendor, environment }) => tryAccount(desk, app, vendor, environment),
      receiptUrl: ({ app, vendor }) => desk.receiptUrl(app, vendor) ?? null,
      forms: certificateForms,
    }),
    laneRoute({ lanes: (app) => desk.reports(app) }),
    ...liveRoutes({
      log,
      overview: overviews({
        store, clock,
        alive: () => membership.alive,
        lanes: async (app) => (await desk.reports(app)).map(laneShown),
        deaf: () => deafness(bus),
      }),
      task: (scope, id) => follow(viewerOf(scope), id),
    }),
    ...fileRoutes(attachments),
    ...pushRoutes({
      clock,
      sizeOf: (url) => sizeOfAttachment(attachments, url),
      accept: (scope, notify) => {
        if (store.backlog > BACKLOG_LIMIT) {
          throw new Refused('tooMany', 'too many notifications are waiting to be stored', { retryAfter: 1 })
        }
        const { request_id, dry_run } = notify.setting ?? {}
        if (request_id === undefined || dry_run) return accept(path, scope, notify)
        return repeats.accept(`${scope.app.id} ${scope.kind} ${scope.id} ${request_id}`, () => accept(path, scope, notify))
      },
      count: (scope, asked) => countAudience(path, scope, asked),
      preflight: (app, asked) => preflight({ clock, accounts }, app, asked),
    }),
    ...taskRoutes({
      store, clock,
      deviceOf: (scope, pushToken) =>
        store.read(deviceInScope, { app: scope.app.id, scopeKind: scope.kind, scopeId: scope.id, pushTokenHash: hashToken(pushToken) }),
    }),
    ...receiptRoutes({
      report: async (report) => {
        // A stream has no other way to acknowledge; what is in the air there came through the own channel.
        const ofOwn = report.channel === undefined || report.channel === ownName
        const acknowledged = ofOwn && sessions.acknowledged(report.deviceId, report.taskId)
        const taken = await receipts.report(acknowledged ? { ...report, channel: ownName } : report)
        if (taken && ofOwn && !acknowledged && !membership.alone) {
          const told = await store.write(tellReceived, { node: membership.node, deviceId: report.deviceId, taskId: report.taskId })
          for (const node of told) bus.nudge(`own:${node}`)
        }
        return taken
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
    ...adminTokenRoutes({ store, clock, changes }),
    ...webhookRoutes({ store, clock, seal }),
  ]
}

const deafness = (bus: Bus): { why: string; since: number } | undefined => {
  const state = bus.state()
  return state.connected ? undefined : state
}

const checksOf = async (house: House): Promise<Check[]> => {
  const store = { name: 'store', ...(await storeWorks(house)) }
  const bus = house.bus.state()
  const stopping = house.isStopping ? [{ name: 'node', ok: false, why: 'it is stopping' }] : []
  // Without it everything still arrives, a second later: no reason to send callers elsewhere.
  return [store, bus.connected ? { name: 'bus', ok: true } : { name: 'bus', ok: true, degraded: true, why: bus.why }, ...stopping]
}

const storeWorks = async ({ store, membership: { node } }: House): Promise<{ ok: boolean; why?: string }> => {
  try {
    await store.write(touchNode, { node })
    return { ok: true }
  } catch (error) {
    return { ok: false, why: error instanceof Error ? error.message : String(error) }
  }
}
