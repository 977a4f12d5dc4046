import type { Server as TlsServer } from 'node:https'
import { mkdirSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { ownChannel as ownName } from '@carillon/protocol/names.ts'
import { Refused } from '@carillon/protocol/errors.ts'
import type { Logger } from 'pino'
import { Access } from './access/access.ts'
import { type AttachmentParts, removeOldFiles, sizeOfAttachment } from './access/attachments.ts'
import { Changes } from './access/changes.ts'
import type { AccessParts } from './access/parts.ts'
import { Passwords } from './access/password.ts'
import { withDefaults } from './access/settings.ts'
import { Throttle } from './access/throttle.ts'
import { hashToken } from './access/token.ts'
import { memoryBus } from './bus/memory.ts'
import { systemClock } from './clock.ts'
import type { Config } from './config.ts'
import { localFiles } from './files/local.ts'
import { s3Files } from './files/s3.ts'
import { Gateway } from './gateway/gateway.ts'
import { ownChannel } from './gateway/own-channel.ts'
import { openStream } from './gateway/stream.ts'
import { listenTcp } from './gateway/tcp.ts'
import { attachWebSocket } from './gateway/websocket.ts'
import { appRoutes } from './http/app.ts'
import { certificateRoutes } from './http/certificate.ts'
import { deviceRoutes } from './http/device.ts'
import { withDocs } from './http/docs.ts'
import { fileRoutes } from './http/file.ts'
import { groupRoutes } from './http/group.ts'
import { metricsRoute } from './http/metrics.ts'
import { operationsRoutes } from './http/operations.ts'
import { pushRoutes } from './http/push.ts'
import { receiptRoutes } from './http/receipt.ts'
import { addressReader, buildHttp, closeHttp, openHttp } from './http/server.ts'
import { streamRoute } from './http/stream.ts'
import { taskRoutes } from './http/task.ts'
import { thisDevice, known } from './http/this-device.ts'
import { tokenRoutes } from './http/token.ts'
import { userRoutes } from './http/user.ts'
import { vendorTokenRoutes } from './http/vendor-token.ts'
import { webhookRoutes, webhookSeat } from './http/webhook.ts'
import { metricsText, passwordsRunning, passwordsWaiting, sessionsOnline, storeBacklog } from './metrics.ts'
import { watchProcess } from './metrics-process.ts'
import { openStore } from './open-store.ts'
import { ownPorts } from './own-ports.ts'
import { accept } from './push/accept.ts'
import { Deliver } from './push/deliver.ts'
import { Inbox } from './push/inbox.ts'
import { Loop } from './push/loop.ts'
import type { Path } from './push/path.ts'
import { planNext } from './push/plan.ts'
import { Receipts } from './push/receipts.ts'
import { Tasks } from './push/tasks.ts'
import { expireNext, purgeNext } from './push/upkeep.ts'
import { tellEvents } from './push/webhooks.ts'
import { getAppById, listApps } from './store/apps.ts'
import { purgeAttempts } from './store/attempts.ts'
import { purgeChanges } from './store/changes.ts'
import { findDevice } from './store/devices.ts'
import { purgeEvents, tellExpiringCertificates } from './store/events.ts'
import { startNode, touchNode } from './store/nodes.ts'
import type { Scope } from './store/scope.ts'
import { lockFolder } from './store/sqlite/lock.ts'
import { expiredTokens, purgeTokens } from './store/tokens.ts'
import { deviceInScope } from './store/trace.ts'
import { Tls } from './tls.ts'
import { checkCredentials } from './vendors/vendors.ts'

const POLL_MS = 1_000 // what a lost nudge costs
const EXPIRY_MS = 5_000
const PURGE_MS = 60_000
const TOKEN_EXPIRY_MS = 2_000 // a token that ends takes its connections with it within 5 s
const EVENTS_KEPT_MS = 30 * 86_400_000
const CERTIFICATE_WARNING_MS = 30 * 86_400_000
const BACKLOG_LIMIT = 20_000
const HTTP_GRACE_MS = 5_000

export interface Running {
  httpUrl: string
  mqttUrl: string
  /** Reads the files of the TLS certificate again. */
  renewCertificate(): void
  /** Stops accepting, finishes or hands back what is in flight. */
  close(): Promise<void>
}

/** Puts the house together. Every closing stands beside its opening and runs in the reverse order. */
export const startServer = async (config: Config, log: Logger): Promise<Running> => {
  const closings: (() => unknown)[] = []
  const close = async (): Promise<void> => {
    for (const closing of closings.splice(0).reverse()) await closing()
  }
  try {
    return { ...(await open(config, log, closings)), close }
  } catch (error) {
    await close()
    throw error
  }
}

const open = async (config: Config, log: Logger, closings: (() => unknown)[]): Promise<Omit<Running, 'close'>> => {
  const clock = systemClock
  const tls = config.tlsCert === '' ? undefined : new Tls(config, log, clock.now())
  closings.push(watchProcess())
  closings.push(lockFolder(config.data))
  const { store, seal } = await openStore(config, { checkpoints: true })
  closings.push(() => store.close())
  const node = await store.write(startNode, { now: clock.now() })
  const isAlive = (other: number): boolean => other === node
  const bus = memoryBus()
  closings.push(() => bus.close())

  // Who is calling.
  const changes = new Changes(store, bus)
  const access = new Access({ store, clock, changes })
  const parts: AccessParts = {
    store,
    clock,
    changes,
    seal,
    passwords: new Passwords(config.hashThreads > 0 ? { concurrency: config.hashThreads } : {}),
    throttle: new Throttle(store, clock, { accountFree: config.loginFailures, addressBurst: config.addressFailures }),
    encryptType: tls ? 1 : 0,
    get publicKey() {
      return tls?.pair.publicKey ?? ''
    },
  }
  passwordsRunning.read = () => parts.passwords.running
  passwordsWaiting.read = () => parts.passwords.waiting
  storeBacklog.read = () => store.backlog

  // The path of a push.
  const settingsOf = async (app: number) => withDefaults((await store.read(getAppById, { id: app }))!).settings
  const inboxLimitOf = async (app: number): Promise<number> => (await settingsOf(app)).inbox_limit
  const tasks = new Tasks(store, inboxLimitOf)
  const receipts = new Receipts(store, clock, log)
  closings.push(() => receipts.flush())
  const path: Path = {
    store,
    bus,
    clock,
    log,
    vendors: new Map(),
    here: () => ({ node, alive: [node], ackMs: (config.ackSeconds + 1) * 1000, now: clock.now() }),
    onWritten: (task, batches) => {
      tasks.keep(task)
      deliver.onWritten(task, batches)
    },
  }
  const inbox = new Inbox(path, tasks, inboxLimitOf)
  const ports = ownPorts({ store, clock, log, node, access, inbox, receipts })
  const gateway = new Gateway({ ports, log, clock, greetingsPerAddress: config.greetingsPerAddress })
  closings.push(() => gateway.close())
  const { sessions } = gateway
  sessionsOnline.read = () => sessions.count
  const own = {
    ...ownChannel(sessions),
    wake: (id: number) => sessions.wake(id),
    timedOut: (id: number, task: number) => sessions.timedOut(id, task),
  }
  const deliver = new Deliver(path, own, tasks, receipts)

  changes.on('token', (id) => sessions.closeToken(id))
  changes.on('user', (id) => sessions.closeUser(id))
  changes.on('device', (id) => sessions.closeDevice(id, 'the device was removed'))
  await changes.start()
  closings.push(() => changes.stop())

  // Attachments.
  let listening = ''
  const attachments: AttachmentParts = {
    store, clock, seal,
    files: config.filesUrl ? s3Files(config.filesUrl, () => clock.now()) : localFiles(join(config.data, 'files')),
    folder: emptyFolder(join(config.data, 'uploads')), // what an earlier run was receiving will never be finished
    keptDays: config.fileDays,
    publicUrl: () => config.publicUrl || listening,
  }

  // Work that finds itself by its due time.
  let expiredUntil = clock.now()
  const loops = {
    tokens: new Loop('expiry of tokens', async () => {
      const now = clock.now()
      for (const id of await store.read(expiredTokens, { after: expiredUntil, now })) sessions.closeToken(id)
      expiredUntil = now
      return false
    }, TOKEN_EXPIRY_MS, log),
    plan: new Loop('planning', () => planNext(path, inboxLimitOf), POLL_MS, log),
    own: new Loop('the own channel', () => deliver.deliverDue(ownName), POLL_MS, log),
    held: new Loop('held pushes', () => deliver.deliverDue('held'), POLL_MS, log),
    webhooks: new Loop('webhooks', () => tellEvents({ store, clock, log, secretOf: ({ app, secret }) => seal.open(secret, webhookSeat(app)) }), POLL_MS, log),
    files: new Loop('old files', () => removeOldFiles(attachments), PURGE_MS, log),
    expire: new Loop('expiry', () => expireNext(store, clock), EXPIRY_MS, log),
    purge: new Loop('purge', async () => {
      const now = clock.now()
      await store.write(purgeTokens, { now })
      await store.write(purgeChanges, { now })
      await store.write(purgeAttempts, { now })
      await store.write(purgeEvents, { before: now - EVENTS_KEPT_MS })
      await store.write(tellExpiringCertificates, { now, before: now + CERTIFICATE_WARNING_MS })
      const apps = (await store.read(listApps, {})).map(withDefaults)
      return purgeNext(store, clock, apps.map(({ id, settings }) => ({ id, retentionDays: settings.retention_days })))
    }, PURGE_MS, log),
  }
  bus.on('tasks', loops.plan.nudge)
  bus.on(`own:${node}`, loops.own.nudge)
  for (const loop of Object.values(loops)) {
    loop.start()
    closings.push(() => loop.stop())
  }

  // The doors.
  const http = buildHttp({
    access,
    log,
    alwaysOk: config.httpStatus === 'always-200',
    trustProxy: config.trustProxy,
    corsOrigins: config.corsOrigins,
    tls: tls?.pair,
    routes: withDocs([
      ...tokenRoutes(parts),
      ...userRoutes(parts),
      ...groupRoutes(parts),
      ...deviceRoutes({ store, clock, seal, changes, isAlive }),
      ...vendorTokenRoutes({ store, clock }),
      ...certificateRoutes({
        store, clock, seal, changes,
        checkCredentials: (vendor, environment, fields) => checkCredentials(vendor, environment, fields, clock.now()),
      }),
      ...fileRoutes(attachments),
      ...pushRoutes({
        clock,
        sizeOf: (url) => sizeOfAttachment(attachments, url),
        accept: (scope, notify) => {
          if (store.backlog > BACKLOG_LIMIT) throw new Refused('tooMany', 'too many notifications are waiting to be stored', { retryAfter: 1 })
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
      ...appRoutes({ store, clock, changes }),
      ...webhookRoutes({ store, clock, seal }),
      streamRoute({ open: (credentials, response) => openStream(gateway, credentials, response) }),
      metricsRoute({ text: metricsText, operator: (token) => access.operator(token) }),
      ...operationsRoutes({ checks: async () => [{ name: 'store', ...(await storeWorks()) }] }),
    ]),
  })
  const storeWorks = async (): Promise<{ ok: boolean; why?: string }> => {
    try {
      await store.write(touchNode, { node })
      return { ok: true }
    } catch (error) {
      return { ok: false, why: error instanceof Error ? error.message : String(error) }
    }
  }
  attachWebSocket(http.server, { gateway, addressOf: addressReader(config.trustProxy) })
  tls?.onRenewed((pair) => (http.server as TlsServer).setSecureContext(pair))
  const secureContext = tls && (() => tls.pair.context)
  const mqtt = await listenTcp({ gateway, host: config.host, port: config.mqttPort, secureContext })
  closings.push(() => mqtt.close())
  await openHttp(http, config.host, config.port)
  closings.push(async () => {
    await mqtt.close()
    // Together: a device's WebSocket is a connection of the HTTP server, which is closed when all of them are.
    await Promise.all([closeHttp(http, HTTP_GRACE_MS), gateway.close()])
  })
  const host = config.host.includes(':') ? `[${config.host}]` : config.host
  const { port } = http.server.address() as AddressInfo
  const s = tls ? 's' : ''
  listening = `http${s}://${host}:${port}`
  return {
    httpUrl: listening,
    mqttUrl: `mqtt${s}://${host}:${mqtt.port}`,
    renewCertificate: () => tls?.reload(clock.now()),
  }
}

const emptyFolder = (folder: string): string => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return folder
}
