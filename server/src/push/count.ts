import { setImmediate } from 'node:timers/promises'
import type { ChannelName } from '@carillon/protocol/names.ts'
import { ownChannel } from '@carillon/protocol/names.ts'
import type { Count } from '@carillon/protocol/notify.ts'
import type { Counted } from '@carillon/protocol/push-answers.ts'
import { groundsOf, reasonOf } from '@carillon/protocol/sentences/reasons.ts'
import type { AudienceQuestion } from '../store/audience.ts'
import type { NewBatch } from '../store/batches.ts'
import type { Scope } from '../store/scope.ts'
import type { Tx } from '../store/store.ts'
import { type RequestedAudience, requested, storedAudience } from './accept.ts'
import { type Here, batchesOf, tokensFor } from './page.ts'
import type { Path } from './path.ts'
import { PAGE, nextPage } from './plan.ts'
import type { Plan } from './route.ts'
import { expiryOf, planOf, rulesOf } from './task.ts'

/** Who asks waits for an answer, and others for theirs: counting ends after so much of it. */
const usual = { workMs: 250, devices: 200_000 }

/** Whom a notification would reach now, and which way: routed as it would be, and nothing is stored. */
export const countAudience = async (
  path: Path,
  { app, kind, id }: Scope,
  { audience, message = {}, setting = {} }: Count,
  most = usual,
): Promise<Counted> => {
  const { store } = path
  const here = path.here()
  const place = { app: app.id, scopeKind: kind, scopeId: id }
  const task = {
    id: 0, ...place, audience: { all: true } as const, message, setting, dryRun: false,
    acceptedAt: here.now, expiresAt: expiryOf(message, setting, here.now),
    ...rulesOf(app.settings),
  }
  const plan = await planOf(task, path.vendors)
  const question = { ...place, audience: await store.read(storedNow, { app: app.id, audience: requested(audience) }) }
  const counted: Counted = { channels: {}, inbox: 0, held: 0, none: {}, reasons: [], devices: 0, complete: true }
  let [from, width, workMs] = [0, PAGE, 0]
  for (;;) {
    const startedAt = performance.now()
    const page: RoutedPage | undefined = await store.read(routePage, { question, plan, from, width, here })
    workMs += performance.now() - startedAt
    if (!page) return counted
    for (const batch of page.batches) add(counted, batch)
    if (counted.devices >= most.devices || workMs >= most.workMs) return { ...counted, complete: false }
    ;({ to: from, width } = page)
    await setImmediate()
  }
}

const storedNow = (tx: Tx, { app, audience }: { app: number; audience: RequestedAudience }) =>
  storedAudience(tx, app, audience)

interface Asked {
  question: AudienceQuestion
  plan: Plan
  from: number
  width: number
  here: Here
}

interface RoutedPage {
  batches: NewBatch[]
  to: number
  width: number
}

const routePage = async (tx: Tx, { question, plan, from, width, here }: Asked): Promise<RoutedPage | undefined> => {
  const page = await nextPage(tx, { question, from, width })
  if (!page) return undefined
  const { devices, to } = page
  return { to, width: page.width, batches: batchesOf(plan, to, devices, await tokensFor(tx, plan, devices), here) }
}

const add = (counted: Counted, { channel, state, reason, devices: { length } }: NewBatch): void => {
  counted.devices += length
  if (channel === 'held') counted.held += length
  else if (channel === 'none') leaveOut(counted, reason, length)
  else if (channel === ownChannel && state === 'waiting') counted.inbox += length
  else raise(counted.channels, channel, length)
}

const leaveOut = ({ none, reasons }: Counted, stored: string | null, by: number): void => {
  const grounds = groundsOf(stored)
  none[grounds.why] = (none[grounds.why] ?? 0) + by
  const reason = reasonOf(grounds)!
  const found = reasons.find(({ reason: { name } }) => name === reason.name)
  if (found) found.devices += by
  else reasons.push({ reason, devices: by })
}

const raise = (counts: Partial<Record<ChannelName, number>>, channel: ChannelName, by: number): void => {
  counts[channel] = (counts[channel] ?? 0) + by
}
