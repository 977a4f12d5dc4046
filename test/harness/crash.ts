import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Api } from './api.ts'
import type { Chance } from './chance.ts'
import { type Doors, type Crowd, gatherCrowd } from './crowd.ts'
import { type Balance, type Notice, type Origins, balanceOf } from './ledger.ts'
import { type Trouble, Senders } from './senders.ts'

/** What is besieged: the nodes that take calls, those that devices connect to, and all that was logged. */
export interface Besieged {
  doors: readonly Api[]
  gateways: readonly Doors[]
  readonly log: string
}

/** Something that is broken and mended again. */
export interface Blow {
  name: string
  /** Resolves when it is mended. */
  strike(): Promise<void>
  /** What callers may see of it: from its beginning until so long after its end as errors may last. */
  excuses(trouble: Trouble): boolean
  /** What they must see of it. */
  shows?: Trouble['code']
  /** Lines of the log that tell of it. */
  logs?: RegExp
}

export interface Siege {
  blows: readonly Blow[]
  clients: number
  devices: number
}

const LONGEST_LIFE_MS = 1_500
const MOST_ANSWERS = 300
const STILL_MS = 25_000

/** Strikes again and again while clients notify and devices listen; then the ledger must say what arrived. */
export const survives = async (t: TestContext, besieged: Besieged, { blows, clients, devices }: Siege, chance: Chance): Promise<void> => {
  t.diagnostic(`SEED=${chance.seed} repeats the draws`)
  const [api] = besieged.doors
  const crowd = await gatherCrowd(t, api!, besieged.gateways, devices, chance)
  const senders = new Senders(besieged.doors, crowd, chance)
  const sending = Array.from({ length: clients }, () => senders.send())

  try {
    for (const [i, blow] of blows.entries()) {
      // Every second one falls into the moment after an answer: what was just promised is what could be lost.
      if (i % 2 === 0) await pause(chance.below(LONGEST_LIFE_MS))
      else await senders.answers(1 + chance.below(MOST_ANSWERS))
      senders.begin(blow)
      await blow.strike()
      senders.end(blow)
    }
  } catch (error) {
    senders.giveUp() // else they would call for ever, and the test would not end
    throw error
  }
  senders.finish()
  await Promise.all(sending)

  const balance = await untilStill(api!, crowd, senders.notices)
  const { tasks, deliveries, arrivals } = balance
  t.diagnostic(`${tasks} tasks, ${deliveries} deliveries, ${arrivals} arrivals, ${[...senders.excused.values()].reduce((sum, count) => sum + count, 0)} calls unanswered or refused`)
  for (const { name, shows } of blows) if (shows !== undefined) t.assert.equal(senders.excused.has(shows), true, `callers were answered ${shows} during ${name}`)
  t.assert.deepEqual(senders.wrong, [], 'what clients were answered')
  t.assert.deepEqual(balance.complaints, [], 'the ledger')
  const unexplained = besieged.log.split('\n').filter((line) => line.includes('"level":"error"') && !blows.some(({ logs }) => logs?.test(line)))
  t.assert.deepEqual(unexplained, [], 'the log')
}

/** The ledger when it balances, or when nothing has moved for so long that it never will. */
const untilStill = async (api: Api, crowd: Crowd, notices: readonly Notice[]): Promise<Balance> => {
  const origins: Origins = new Map()
  let last = ''
  let movedAt = Date.now()
  for (;;) {
    const balance = await balanceOf(api, crowd, notices, origins)
    if (balance.complaints.length === 0) return balance
    const now = `${balance.arrivals} ${JSON.stringify(balance.complaints)}`
    if (now !== last) movedAt = Date.now()
    else if (Date.now() - movedAt > STILL_MS) return balance
    last = now
    await pause(250)
  }
}
