import type { Server as TlsServer } from 'node:https'
import { mkdirSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { VendorName } from '@carillon/protocol/names.ts'
import type { Logger } from 'pino'
import { Access } from './access/access.ts'
import type { AttachmentParts } from './access/attachments.ts'
import { Changes } from './access/changes.ts'
import type { AccessParts } from './access/parts.ts'
import { Passwords } from './access/password.ts'
import { receiptSecret } from './access/receipt-secret.ts'
import { withDefaults } from './access/settings.ts'
import { Throttle } from './access/throttle.ts'
import { memoryBus } from './bus/memory.ts'
import { systemClock } from './clock.ts'
import { type Config, vendorConfig } from './config.ts'
import { localFiles } from './files/local.ts'
import { s3Files } from './files/s3.ts'
import { Gateway } from './gateway/gateway.ts'
import { ownChannel } from './gateway/own-channel.ts'
import { listenTcp } from './gateway/tcp.ts'
import { attachWebSocket } from './gateway/websocket.ts'
import type { House } from './house.ts'
import { withDocs } from './http/docs.ts'
import { addressReader, buildHttp, closeHttp, openHttp } from './http/server.ts'
import { loopsOf } from './loops.ts'
import { watchProcess } from './metrics-process.ts'
import { passwordsRunning, passwordsWaiting, sessionsOnline, storeBacklog } from './metrics.ts'
import { openStore } from './open-store.ts'
import { ownPorts } from './own-ports.ts'
import { Deliver } from './push/deliver.ts'
import { Lanes } from './push/lanes.ts'
import { Inbox } from './push/inbox.ts'
import type { Path } from './push/path.ts'
import { Receipts } from './push/receipts.ts'
import { Tasks } from './push/tasks.ts'
import { routesOf } from './routes.ts'
import { getAppById } from './store/apps.ts'
import { startNode } from './store/nodes.ts'
import { lockFolder } from './store/sqlite/lock.ts'
import type { Store } from './store/store.ts'
import { Tls } from './tls.ts'
import { Accounts } from './vendors/accounts.ts'
import { Desk } from './vendors/desk.ts'
import { vendorRoads } from './vendors/roads.ts'
import { Sender } from './vendors/send.ts'
import { vendors } from './vendors/vendors.ts'

const HTTP_GRACE_MS = 5_000

export interface Running {
  store: Store
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
  closings.push(lockFolder(config.data))
  const { store, seal } = await openStore(config, { checkpoints: true })
  closings.push(() => store.close())
  const node = await store.write(startNode, { now: clock.now() })
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

  // The vendors.
  const sender = new Sender({ log })
  closings.push(() => sender.close())
  const accounts = new Accounts({ store, seal, log })
  const { origins, rates } = vendorConfig(config)
  const receiptUrl = (app: number, vendor: VendorName): string | undefined =>
    config.publicUrl === '' || !vendors[vendor].receipts ? undefined : `${config.publicUrl}/push/receipt/${vendor}/${receiptSecret(seal, app)}`
  const desk = new Desk({ store, clock, log, sender, accounts, origins, rates, receiptUrl })
  changes.on('certificate', accounts.refresh)
  changes.on('app', accounts.refresh)

  // The path of a push.
  const inboxLimitOf = async (app: number): Promise<number> =>
    withDefaults((await store.read(getAppById, { id: app }))!).settings.inbox_limit
  const tasks = new Tasks(store, inboxLimitOf)
  const receipts = new Receipts(store, clock, log)
  closings.push(() => receipts.flush())
  const path: Path = {
    store,
    bus,
    clock,
    log,
    vendors: vendorRoads(desk),
    here: () => ({ node, alive: [node], ackMs: (config.ackSeconds + 1) * 1000, now: clock.now() }),
    onWritten: (task, batches) => {
      tasks.keep(task)
      return deliver.onWritten(task, batches)
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

  const house: House = {
    clock, log, store, seal, node, bus, changes, access, parts, path, inboxLimitOf, receipts, gateway, deliver, attachments, accounts, desk,
    lanes: new Lanes(path, deliver),
  }
  // Together: a vendor that does not answer is not waited for longer than the sender gives it.
  closings.push(() => Promise.all([house.lanes.stop(), sender.close()]))
  for (const loop of loopsOf(house)) {
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
    routes: withDocs(routesOf(house)),
  })
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
  closings.push(watchProcess()) // from here on somebody may be kept waiting
  const host = config.host.includes(':') ? `[${config.host}]` : config.host
  const { port } = http.server.address() as AddressInfo
  const s = tls ? 's' : ''
  listening = `http${s}://${host}:${port}`
  return {
    store,
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
