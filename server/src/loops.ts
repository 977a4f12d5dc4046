import { removeOldFiles } from './access/attachments.ts'
import { withDefaults } from './access/settings.ts'
import type { House } from './house.ts'
import { webhookSeat } from './http/webhook.ts'
import { Loop } from './push/loop.ts'
import { planNext } from './push/plan.ts'
import { minuteOf } from './push/pulse.ts'
import { expireNext, purgeNext } from './push/upkeep.ts'
import { tellEvents } from './push/webhooks.ts'
import { listApps } from './store/apps.ts'
import { purgeAttempts } from './store/attempts.ts'
import { purgeChanges } from './store/changes.ts'
import { purgeEvents, tellExpiringCertificates } from './store/events.ts'
import { purgeFigures } from './store/figures.ts'
import { dropFrames, purgeFrames, readFrames } from './store/frames.ts'
import { foldSizes } from './store/sizes.ts'
import { purgeLanes } from './store/shared-lanes.ts'
import { expiredTokens, purgeTokens } from './store/tokens.ts'

const POLL_MS = 1_000 // what a lost nudge costs
// Side by side, page by page: a small audience does not wait until a large one is planned, and
// broadcasts to the same devices share their writes (gateway/page-writer.ts).
const TASKS_PLANNED_AT_ONCE = 8
const FRAMES_A_TURN = 1_000
const FIGURES_MS = 1_000
const TOKEN_EXPIRY_MS = 2_000
const EXPIRY_MS = 5_000
const PURGE_MS = 60_000
const MINUTES_KEPT = 90
const EVENTS_KEPT_MS = 30 * 86_400_000
const CERTIFICATE_WARNING_MS = 30 * 86_400_000

/** Work that finds itself by its due time. */
export const loopsOf = (house: House): Loop[] => {
  const { log, bus, membership, deliver, does } = house
  const own = new Loop('the own channel', () => deliver.deliverOwn(), POLL_MS, log)
  const frames = new Loop('frames', () => hearFrames(house), POLL_MS, log)
  const listen = (): void => {
    for (const loop of [own, frames]) bus.on(`own:${membership.node}`, loop.nudge)
  }
  listen()
  membership.onRenewed(listen)
  return [
    own, // also where no sessions are: what a gateway that is gone was to hand over goes another way
    ...(does.has('gateway') ? [new Loop('expiry of tokens', closeExpired(house), TOKEN_EXPIRY_MS, log)] : []),
    ...(does.has('gateway') && !membership.alone ? [frames] : []),
    new Loop('figures', () => house.figures.write().then(() => false), FIGURES_MS, log),
    ...(does.has('worker') ? workerLoops(house) : []),
  ]
}

const workerLoops = (house: House): Loop[] => {
  const { store, clock, log, seal, bus, path, rulesOf, deliver, lanes, attachments } = house
  const planning = Array.from({ length: TASKS_PLANNED_AT_ONCE }, () => new Loop('planning', () => planNext(path, rulesOf), POLL_MS, log))
  for (const loop of planning) bus.on('tasks', loop.nudge)
  const vendors = new Loop('the vendors', () => lanes.look(), POLL_MS, log)
  bus.on('batches', vendors.nudge)
  house.changes.on('certificate', vendors.nudge)
  const webhooks = { store, clock, log, secretOf: ({ app, secret }: { app: number; secret: Uint8Array }) => seal.open(secret, webhookSeat(app)) }
  return [
    ...planning,
    vendors,
    new Loop('held pushes', () => deliver.routeHeld(), POLL_MS, log),
    new Loop('expiry', () => expireNext(store, clock), EXPIRY_MS, log),
    new Loop('webhooks', () => tellEvents(webhooks), POLL_MS, log),
    new Loop('old files', () => removeOldFiles(attachments), PURGE_MS, log),
    new Loop('purge', () => purge(house), PURGE_MS, log),
  ]
}

/** What other nodes tell this one of the sessions it holds. */
const hearFrames = async ({ store, membership, gateway }: House): Promise<boolean> => {
  const frames = await store.read(readFrames, { node: membership.node, limit: FRAMES_A_TURN })
  for (const { kind, deviceId, number } of frames) {
    if (kind === 'wake') gateway.sessions.wake(deviceId)
    else if (kind === 'moved') gateway.sessions.closeMoved(deviceId, number)
    else gateway.sessions.acknowledged(deviceId, number)
  }
  if (frames.length > 0) await store.write(dropFrames, { ids: frames.map(({ id }) => id) })
  return frames.length === FRAMES_A_TURN
}

/** Connections end with the token they were opened with. */
const closeExpired = ({ store, clock, gateway }: House) => {
  let seenUntil = clock.now()
  return async (): Promise<boolean> => {
    const now = clock.now()
    for (const id of await store.read(expiredTokens, { after: seenUntil, now })) gateway.sessions.closeToken(id)
    seenUntil = now
    return false
  }
}

const purge = async ({ store, clock }: House): Promise<boolean> => {
  const now = clock.now()
  await store.write(purgeTokens, { now })
  await store.write(purgeChanges, { now })
  await store.write(purgeAttempts, { now })
  await store.write(purgeFrames, {})
  await store.write(purgeLanes, { now })
  await store.write(purgeFigures, { before: minuteOf(now) - MINUTES_KEPT })
  await store.write(foldSizes, {})
  await store.write(purgeEvents, { before: now - EVENTS_KEPT_MS })
  await store.write(tellExpiringCertificates, { now, before: now + CERTIFICATE_WARNING_MS })
  const apps = (await store.read(listApps, {})).map(withDefaults)
  return purgeNext(store, clock, apps.map(({ id, settings }) => ({ id, retentionDays: settings.retention_days })))
}
