import { setTimeout as pause } from 'node:timers/promises'
import { Refused } from '@carillon/protocol/errors.ts'
import { parseJson } from '@carillon/protocol/json.ts'
import { systemClock } from '@carillon/server/clock.ts'
import { writeAudit } from '@carillon/server/store/audit.ts'
import type { Imported } from '@carillon/server/store/imports.ts'
import type { App } from '@carillon/server/store/scope.ts'
import { isFolderLocked } from '@carillon/server/store/sqlite/lock.ts'
import { type Call, Failed, actor } from './command.ts'
import { type Line, openSource, readLines } from './lines.ts'
import { Progress, spelt } from './progress.ts'

// A group is one transaction. Beside a running server it is short, and the server writes between two of them; where none
// runs, larger ones write the pages of the indexes less often, which is what an import waits for.
const GROUP_BESIDE = 1_000
const GROUP_ALONE = 5_000
const GAP_MS = 2
const SHOWN_PROBLEMS = 20

/** What is imported: how a line reads, and how a group of them gets into the store. */
export interface Kind<L, G> {
  /** 'users', 'devices' */
  what: string
  /** Throws Refused where the line is not one. */
  read(value: unknown): L
  /** All of the work that can be done before it is the group's turn: sealing, hashing. */
  prepare(lines: L[]): G | Promise<G>
  add(group: G): Promise<Imported[]>
  /** Lines that are so much work that this many of them make a group. */
  heavy?: { most: number; is(line: L): boolean }
}

interface Tally {
  lines: number
  added: number
  skipped: number
  refused: number
}

/**
 * Brings a file of JSON lines into the store, group by group; what is there already is skipped, so that an import that
 * was broken off is simply started again. A line that is not taken is told, and costs itself alone.
 */
export const importFile = async <L, G>(call: Call, app: App, kind: Kind<L, G>): Promise<void> => {
  const source = openSource(call.positionals[0]!)
  const progress = new Progress(process.stderr, { unit: 'lines', total: source.size })
  const problems: { line: number; reason: string }[] = []
  const tally: Tally = { lines: 0, added: 0, skipped: 0, refused: 0 }
  const refuse = (line: number, reason: string): void => {
    tally.refused++
    if (tally.refused > SHOWN_PROBLEMS) return
    problems.push({ line, reason })
    progress.say(`line ${line}: ${reason}`)
  }
  const add = async (group: G, numbers: number[]): Promise<void> => {
    const results = await kind.add(group)
    results.forEach((result, i) => {
      if (result === 'added') tally.added++
      else if (result === 'there') tally.skipped++
      else refuse(numbers[i]!, result.refused)
    })
    await pause(GAP_MS)
  }

  let group: Read<L>[] = []
  let heavy = 0
  let limit = 0
  const begin = (): void => {
    group = []
    heavy = 0
    limit = call.config.databaseUrl !== '' || isFolderLocked(call.config.data) ? GROUP_BESIDE : GROUP_ALONE
  }
  let underWay: Promise<void> = Promise.resolve()
  // The next group is read while this one is stored, and no further: memory holds two.
  const hand = async (): Promise<void> => {
    const [lines, numbers] = [group.map(({ value }) => value), group.map(({ number }) => number)]
    begin()
    const next = await kind.prepare(lines)
    await underWay
    underWay = add(next, numbers)
    underWay.catch(() => {}) // told by whoever waits for it next
  }
  begin()
  try {
    for await (const { lines, bytesRead } of readLines(source.chunks)) {
      for (const line of lines) {
        tally.lines++
        const value = readLine(line, kind, refuse)
        if (value === undefined) continue
        group.push({ number: line.number, value })
        if (kind.heavy?.is(value)) heavy++
        if (group.length >= limit || heavy >= (kind.heavy?.most ?? Infinity)) await hand()
        progress.update(tally.lines, bytesRead)
      }
      progress.update(tally.lines, bytesRead)
    }
    if (group.length > 0) await hand()
    await underWay
  } catch (error) {
    progress.clear()
    const why = (error as Error).message
    throw new Failed(`stopped at line ${tally.lines}: ${why}. What was added stays; start again to add the rest`)
  }
  progress.clear()
  const { added, skipped, refused } = tally
  const entry = { app: app.id, at: systemClock.now(), actor, action: `${kind.what}.import`, detail: { ...tally } }
  await call.store.write(writeAudit, entry)
  const seconds = Math.max(progress.seconds, 0.001)
  call.print(
    { ...tally, seconds: Number(seconds.toFixed(3)), problems },
    `${spelt(added)} ${kind.what} added, ${spelt(skipped)} were there already, ${spelt(refused)} lines not taken; `
      + `${seconds.toFixed(1)} s, ${spelt(Math.round(tally.lines / seconds))} lines a second`,
  )
  if (refused === 0) return
  const more = refused > SHOWN_PROBLEMS ? `; the first ${SHOWN_PROBLEMS} are told above` : ''
  throw new Failed(`${spelt(refused)} of ${spelt(tally.lines)} lines were not taken${more}`)
}

interface Read<L> {
  number: number
  value: L
}

/** undefined: a blank line, or one that was refused. */
const readLine = <L>(
  { number, bytes }: Line,
  kind: { read(value: unknown): L },
  refuse: (line: number, reason: string) => void,
): L | undefined => {
  if (bytes === undefined) {
    refuse(number, 'is longer than 1 MiB')
    return undefined
  }
  if (bytes.length <= 2 && bytes.toString().trim() === '') return undefined
  try {
    return kind.read(parseJson(bytes))
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    refuse(number, error.message.replace(/^body /, ''))
    return undefined
  }
}
