import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { providerOfVendor, type VendorName } from '@carillon/protocol/names.ts'
import type { FaultOrder } from '@carillon/simulators/misbehave.ts'
import type { Carillon } from './carillon.ts'
import { Chance } from './chance.ts'
import { startVendorWorld, vendorNames, vendorToken, type VendorWorld } from './vendor-world.ts'

export interface Storm {
  devices: number
  /** The devices of each vendor are in so many lists; the first of them has a third. */
  lists: number
  /** How long it lasts; notifications are sent all the while. */
  stormMs: number
}

/** Troubles of every kind, on all vendors at once: so many of a hundred pushes each. */
const troubles: FaultOrder[] = [
  { fault: 'limited', chance: 0.1, retryAfterSeconds: 1 },
  { fault: 'status', chance: 0.03, status: 503 },
  { fault: 'status', chance: 0.02, status: 500, processed: true },
  { fault: 'silent', chance: 0.03 },
  { fault: 'silent', chance: 0.02, processed: true },
  { fault: 'goaway', chance: 0.02, vendor: 'apns' },
  { fault: 'goaway', chance: 0.02, vendor: 'fcm' },
  { fault: 'half-open', chance: 0.005 },
  { fault: 'half-open', chance: 0.005, processed: true },
  { fault: 'garbage', chance: 0.01 },
]

interface Member {
  vendor: VendorName
  token: string
  list: string
  /** How many notifications were meant for it. */
  meant: number
}

/** Sends through a storm; when it is over every delivery must have ended, and the ledger must say what phones got. */
export const survivesChaos = async (t: TestContext, { devices, lists, stormMs }: Storm): Promise<void> => {
  const chance = new Chance()
  t.diagnostic(`SEED=${chance.seed} repeats the troubles`)
  const world = await startVendorWorld(t, { env: { CARILLON_PUBLIC_URL: '' }, simulators: { seed: chance.seed, keep: 1 } })
  const { carillon, simulators } = world
  liftAllowances(world)
  const members = await gather(carillon, devices, lists)
  for (const trouble of troubles) simulators.order(trouble)
  const endAt = Date.now() + stormMs
  const tasks: number[] = []
  // One after the other for each list: of two requests that cross nobody could say whether the second came too early.
  const sendTo = async (list: string, listed: Member[]): Promise<void> => {
    while (Date.now() < endAt) {
      const task = await notify(carillon, list)
      tasks.push(task)
      for (const member of listed) member.meant += 1
      for (;;) {
        const { state } = await carillon.task(task)
        if (state === 'done' || state === 'expired') break
        await pause(LOOK_MS)
      }
    }
  }
  const sending = Promise.all(Map.groupBy(members, ({ list }) => list).entries().map(([list, listed]) => sendTo(list, listed)))
  await Promise.race([sending, pause(stormMs)])
  simulators.forgetOrders()
  liftAllowances(world)
  await sending
  t.diagnostic(`${tasks.length} tasks`)
  t.assert.deepEqual(await complaintsOf(t, world, members, tasks), [])
  t.assert.doesNotMatch(carillon.log, /"level":"?(error|50|fatal|60)/)
}

const LOOK_MS = 250

/** A storm is no reason to run out of what a vendor allows in a minute or a day. */
const liftAllowances = ({ simulators }: VendorWorld): void => {
  simulators.order({ vendor: 'flyme', options: { perMinute: 1_000_000 } })
  simulators.order({ vendor: 'xiaomi', options: { dayQuota: 1_000_000_000 } })
  simulators.order({ vendor: 'vivo', options: { bodiesPerDay: 1_000_000 } })
}

const gather = async (carillon: Carillon, devices: number, lists: number): Promise<Member[]> => {
  const members = Array.from({ length: devices }, (_, i): Member => {
    const vendor = vendorNames[i % vendorNames.length]!
    const place = Math.floor(i / vendorNames.length)
    const list = place % 3 === 0 ? 0 : 1 + (Math.floor((place * 2) / 3) % (lists - 1))
    return { vendor, token: vendorToken(vendor), list: `${vendor} ${list}`, meant: 0 }
  })
  const lines = (rows: object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('')
  const name = (i: number): string => `member ${i}`
  await carillon.cli(['user', 'import', '--app', 'demo', '-'], { input: lines(members.map((_, i) => ({ name: name(i) }))) })
  const rows = members.map(({ vendor, token, list }, i) => ({
    name: name(i), device_guid: name(i), platform: vendor === 'apns' ? 'ios' : 'android',
    tokens: [{ provider: providerOfVendor[vendor], environment: 1, token }], tags: [list],
  }))
  await carillon.cli(['device', 'import', '--app', 'demo', '-'], { input: lines(rows) })
  return members
}

const notify = (carillon: Carillon, list: string): Promise<number> => {
  const message = { title: 'Storm', body: 'Warning' }
  return carillon.notify({ audience: { tag: [list] }, message, setting: { distribution_strategy: 'ospush_only' } })
}

const complaintsOf = async (t: TestContext, { carillon, simulators }: VendorWorld, members: readonly Member[], tasks: readonly number[]): Promise<string[]> => {
  const complaints: string[] = []
  const counted: Record<string, number> = {}
  const ended: Record<string, number> = {}
  for (const task of tasks) {
    const { state, waiting, reasons, counters } = await carillon.task(task)
    if (state !== 'done' || waiting > 0) complaints.push(`task ${task} is ${state}, ${waiting} wait`)
    for (const [name, count] of Object.entries(counters)) counted[name] = (counted[name] ?? 0) + count
    for (const [reason, count] of Object.entries(reasons)) ended[reason] = (ended[reason] ?? 0) + count
  }
  for (const vendor of vendorNames) {
    const mine = members.filter((member) => member.vendor === vendor)
    const meant = mine.reduce((sum, member) => sum + member.meant, 0)
    const [target, sent, received] = ['target', 'sent', 'received'].map((name) => counted[`${vendor}_${name}`])
    const refused = ended[`${vendor}: refused`] ?? 0
    if (target !== meant) complaints.push(`${vendor} counts ${target} targets; ${meant} were meant`)
    if (sent !== ended[`${vendor}: sent`] || sent! + refused !== meant || received !== 0) {
      complaints.push(`${vendor} counts ${sent} sent and ${received} received of ${meant}; ${JSON.stringify(ended)}`)
    }
    const sum = { taken: 0, answered: 0, ambiguous: 0, refused: 0, early: 0 }
    let [missing, doubled] = [0, 0]
    for (const { token, meant: pushes } of mine) {
      const fate = simulators.fates(vendor).get(token) ?? { ...sum, taken: 0, ambiguous: 0, early: 0 }
      for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += fate[name]
      missing += Math.max(0, pushes - fate.taken)
      if (fate.taken - pushes > fate.ambiguous) doubled += 1
    }
    t.diagnostic(`${vendor}: ${meant} meant, ${JSON.stringify(sum)}, ${refused} given up`)
    // What was given up, a vendor kept answering with what nobody can read: it may have been taken or not.
    if (missing > refused) complaints.push(`${vendor} counts ${sent} sent, and ${missing} were not taken`)
    if (doubled > 0) complaints.push(`${doubled} devices of ${vendor} got more than lost answers explain`)
    if (sum.early > 0) complaints.push(`${sum.early} pushes came to ${vendor} before they were asked for again`)
  }
  return complaints
}
