import type { Server as TlsServer } from 'node:https'
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
import { natsBus } from './bus/nats.ts'
import { systemClock } from './clock.ts'
import { type Config, type Part, vendorConfig } from './config.ts'
import { localFiles } from './files/local.ts'
import { s3Files } from './files/s3.ts'
import { Figures } from './figures.ts'
import { Gateway } from './gateway/gateway.ts'
import { ownChannel } from './gateway/own-channel.ts'
import { listenTcp } from './gateway/tcp.ts'
import { attachWebSocket } from './gateway/websocket.ts'
import type { House } from './house.ts'
import { consoleFolder } from './http/console.ts'
import { withDocs } from './http/docs.ts'
import { addressReader, buildHttp, closeHttp, drainHttp, openHttp } from './http/server.ts'
import { loopsOf } from './loops.ts'
import { onlyNode, oneOfMany } from './membership.ts'
import { watchProcess } from './metrics-process.ts'
import { busConnected, changesHeard, nodesAlive, passwordsRunning, passwordsWaiting, sessionsOnline, storeBacklog } from './metrics.ts'
import { openStore } from './open-store.ts'
import { ownPorts } from './own-ports.ts'
import { Presence } from './presence.ts'
import { Deliver } from './push/deliver.ts'
import { Lanes } from './push/lanes.ts'
import { Inbox } from './push/inbox.ts'
import type { Path } from './push/path.ts'
import { Pulse } from './push/pulse.ts'
import { Receipts } from './push/receipts.ts'
import { type AppRules, rulesOf } from './push/task.ts'
import { Tasks } from './push/tasks.ts'
import { takeUpSessions } from './renewal.ts'
import { routesOf } from './routes.ts'
import { SecondLook } from './second-look.ts'
import { getAppById } from './store/apps.ts'
import { lockFolder } from './store/sqlite/lock.ts'
import type { Store } from './store/store.ts'
import { Tls } from './tls.ts'
import { uploadFolder } from './upload-folder.ts'
import { Accounts } from './vendors/accounts.ts'
import { Desk } from './vendors/desk.ts'
import { vendorRoads } from './vendors/roads.ts'
import { Sender } from './vendors/send.ts'
import { vendors } from './vendors/vendors.ts'

const HTTP_GRACE_MS = 5_000
// Of the 10 s a stop may take.
const DRAIN_MS = 1_500
const FAREWELLS_MS = 4_000

export interface Running {
  store: Store
  /** Where its health, metrics and, if it does that, the API are. */
  httpUrl: string
  /** The addresses of the parts that run here, for the line that says it is ready. */
  doors: string[]
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
  const does: ReadonlySet<Part> = new Set(config.parts)
  const hasOthers = config.databaseUrl !== ''
  if (!hasOthers) closings.push(lockFolder(config.data))
  const { store, seal } = await openStore(config, { checkpoints: true, log })
  closings.push(() => store.close())
  const bus = config.natsUrl === '' ? memoryBus() : await natsBus(config.natsUrl, { log, prefix: config.natsPrefix })
  closings.push(() => bus.close())
  busConnected.read = () => (bus.state().connected ? 1 : 0)
  const address = `${config.host}:${config.port}`
  const membership = hasOthers ? await oneOfMany({ store, bus, clock, log, parts: config.parts, address }) : await onlyNode(store, clock)
  closings.push(() => membership.leave())
  nodesAlive.read = () => membership.alive.length

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
  const desk = new Desk({ store, clock, log, sender, accounts, origins, rates, receiptUrl, seal, shared: hasOthers })
  closings.push(() => desk.close())
  changes.on('certificate', accounts.refresh)
  changes.on('app', accounts.refresh)

  // The path of a push.
  const rulesOfApp = async (app: number): Promise<AppRules> => rulesOf(withDefaults((await store.read(getAppById, { id: app }))!).settings)
  const tasks = new Tasks(store, rulesOfApp)
  const pulse = new Pulse(clock)
  const figures = new Figures({ store, membership, pulse })
  closings.push(() => figures.write().catch(() => {})) // the last second of them is not worth an end that fails
  const receipts = new Receipts(store, clock, log, pulse)
  closings.push(() => receipts.flush())
  const path: Path = {
    store,
    bus,
    clock,
    log,
    vendors: vendorRoads(desk),
    pulse,
    here: () => ({ node: membership.node, alive: membership.alive, alone: membership.alone, ackMs: (config.ackSeconds + 1) * 1000, now: clock.now() }),
    onWritten: (task, batches) => {
      tasks.keep(task)
      return deliver.onWritten(task, batches)
    },
  }
  const inbox = new Inbox(path, tasks, rulesOfApp)
  const nudge = (nodes: readonly number[]): void => nodes.forEach((node) => bus.nudge(`own:${node}`))
  const presence = new Presence({ store, clock, log, node: () => membership.node, told: nudge })
  closings.push(() => presence.flush())
  const looks = membership.alone ? undefined : new SecondLook(clock, (id) => sessions.wake(id))
  closings.push(() => looks?.stop())
  const ports = ownPorts({ log, access, presence, arrived: (id) => looks?.add(id), inbox, receipts })
  const gateway = new Gateway({ ports, log, clock, greetingsPerAddress: config.greetingsPerAddress })
  closings.push(() => gateway.close())
  const { sessions } = gateway
  const lookAgain = (id: number): void => looks?.add(id)
  membership.onRenewed((before) => void takeUpSessions({ store, log, membership, presence, sessions, lookAgain }, before))
  sessionsOnline.read = () => sessions.count
  figures.online = sessions.online
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
  changesHeard.read = () => changes.newest
  closings.push(() => changes.stop())

  // Attachments.
  let listening = ''
  const attachments: AttachmentParts = {
    store, clock, seal,
    files: config.filesUrl ? s3Files(config.filesUrl, () => clock.now()) : localFiles(join(config.data, 'files')),
    folder: uploadFolder(config.data, membership),
    keptDays: config.fileDays,
    publicUrl: () => config.publicUrl || listening,
  }

  const house: House = {
    clock, log, store, seal, membership, does, bus, changes, access, parts, path, rulesOf: rulesOfApp, receipts, gateway, deliver, attachments, accounts, desk, figures,
    lanes: new Lanes(path, deliver),
    isStopping: false,
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
    consoleFolder: does.has('http') ? consoleFolder : undefined,
    tls: tls?.pair,
    routes: does.has('http') ? withDocs(routesOf(house)) : routesOf(house),
  })
  if (does.has('gateway')) attachWebSocket(http.server, { gateway, addressOf: addressReader(config.trustProxy) })
  tls?.onRenewed((pair) => (http.server as TlsServer).setSecureContext(pair))
  const secureContext = tls && (() => tls.pair.context)
  const mqtt = does.has('gateway') ? await listenTcp({ gateway, host: config.host, port: config.mqttPort, secureContext }) : undefined
  closings.push(() => mqtt?.close())
  await openHttp(http, config.host, config.port)
  closings.push(async () => {
    house.isStopping = true
    const hasOthersNow = membership.alive.length > 1
    await mqtt?.close()
    // Together: a device's WebSocket is a connection of the HTTP server, which is closed when all of them are.
    await Promise.all([
      (hasOthersNow ? drainHttp(http, DRAIN_MS) : Promise.resolve()).then(() => closeHttp(http, HTTP_GRACE_MS)),
      gateway.close(hasOthersNow ? FAREWELLS_MS : 0),
    ])
  })
  closings.push(watchProcess()) // from here on somebody may be kept waiting
  const host = config.host.includes(':') ? `[${config.host}]` : config.host
  const { port } = http.server.address() as AddressInfo
  const s = tls ? 's' : ''
  listening = `http${s}://${host}:${port}`
  return {
    store,
    httpUrl: listening,
    doors: [...(does.has('http') ? [listening] : []), ...(mqtt ? [`mqtt${s}://${host}:${mqtt.port}`] : [])],
    renewCertificate: () => tls?.reload(clock.now()),
  }
}
