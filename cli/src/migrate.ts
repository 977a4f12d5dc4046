import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { checkKeyWord, loadKey } from '@carillon/server/access/key.ts'
import { Seal } from '@carillon/server/access/seal.ts'
import { systemClock } from '@carillon/server/clock.ts'
import { type Config, readConfig, settings } from '@carillon/server/config.ts'
import type { Compared } from '@carillon/server/store/move/compare.ts'
import { move } from '@carillon/server/store/move/move.ts'
import { MoveRefused, Source } from '@carillon/server/store/move/source.ts'
import { Target } from '@carillon/server/store/move/target.ts'
import { FolderLocked, lockFolder } from '@carillon/server/store/sqlite/lock.ts'
import { type Moved, forgetMoved, readMoved, refuseMoved, writeMoved } from '@carillon/server/store/sqlite/moved.ts'
import { type Command, Failed, type Typed, UsageError, required, settingFlags } from './command.ts'
import { Progress, spelt } from './progress.ts'

export const migrateCommands: Command[] = [
  {
    name: 'migrate',
    usage: 'migrate --to URL | migrate --undo',
    help: [
      'Moves the store from the data folder (SQLite, one machine) into a PostgreSQL that many nodes share. Everything comes',
      'along: tokens, devices, certificates, inboxes, counters; tasks under way go on there. The database must be empty.',
      '',
      'Stop the server first: it is kept from starting until the move is over. If it is interrupted, call it again with',
      'the same URL and it goes on where it stopped. At the end both sides are read once more and compared, table by table:',
      'rows, and a checksum over every column. Exit code 1 if one differs; no node starts on such a database.',
      '',
      'Then start nodes with CARILLON_DATABASE_URL and the same key file. Attachments are not in the store: they stay in the',
      "data folder's files, which nodes must share, or go to the store of CARILLON_FILES_URL.",
      '',
      'The old store is left as it was, and marked as moved (moved.json), so that no server or command works on it by mistake.',
      '--undo removes the mark: the server then runs on what the store held when it was moved. What has happened on PostgreSQL',
      'since is not in there, and the next move needs an empty database again.',
    ].join('\n'),
    examples: [
      'carillon migrate --to postgres://carillon:secret@db.internal/carillon',
      'carillon migrate --to postgres://carillon@db.internal/carillon --database-password-file /run/secrets/database --json',
      'carillon migrate --undo --data /var/lib/carillon',
    ],
    options: { to: { type: 'string' }, undo: { type: 'boolean' } },
    takes: 0,
    runWithoutStore: async (call) => {
      const isUndo = call.options.undo !== undefined
      if (isUndo && call.options.to !== undefined) throw new UsageError('--undo takes back a move, wherever it went: leave --to out')
      const [work, flags] = isUndo ? [undo, []] : [moveStore, targetFlags(required(call, 'to'))]
      const config = readConfig([...settingFlags(call), ...flags], process.env)
      if (!existsSync(config.data)) throw new Failed(`there is no folder ${config.data}`)
      const unlock = lock(config.data)
      try {
        await work(call, config)
      } catch (error) {
        throw error instanceof MoveRefused ? new Failed(error.message, { cause: error }) : error
      } finally {
        unlock()
      }
    },
  },
]

/** As settings, so that a password may come from its file here too. */
const targetFlags = (url: string): string[] => {
  try {
    return [`--${settings.databaseUrl.flag}`, settings.databaseUrl.read(url)]
  } catch (error) {
    throw new UsageError(`--to ${(error as Error).message}`)
  }
}

const lock = (folder: string): (() => void) => {
  try {
    return lockFolder(folder)
  } catch (error) {
    if (!(error instanceof FolderLocked)) throw error
    const why = 'nothing may change while the store is moved'
    throw new Failed(`a server, or another move, is at work on ${folder}: stop it first, ${why}`)
  }
}

const undo = (call: Typed, { data }: Config): void => {
  const moved = readMoved(data)
  if (!moved) throw new Failed(`the store in ${data} was not moved`)
  forgetMoved(data)
  call.print(
    { data, moved_to: moved.to, undone: true },
    [
      `The store in ${data} is in use again, as it was on ${new Date(moved.begunAt).toISOString()}.`,
      `What ${moved.to} holds is left there; another move needs an empty database.`,
    ].join('\n'),
  )
}

const moveStore = async (call: Typed, { data, keyFile, databaseUrl }: Config): Promise<void> => {
  const to = withoutPassword(databaseUrl)
  const source = new Source(data)
  try {
    if (source.keyCheck) checkKeyWord(source.keyCheck, new Seal(loadKey(keyFile, false)))
    const target = await Target.connect(databaseUrl)
    try {
      const begun = await begin(data, to, source, target)
      const { seconds, compared } = await watched(source, target)
      if (compared.every(({ same }) => same)) {
        writeMoved(data, { ...begun, endedAt: systemClock.now() })
        await target.finish(systemClock.now())
      }
      tell(call, { to, seconds, compared })
    } finally {
      await target.close()
    }
  } finally {
    source.close()
  }
}

/** Marks both sides. The folder first: a target that nobody knows would be of no use to anybody. */
const begin = async (data: string, to: string, source: Source, target: Target): Promise<Moved> => {
  const before = readMoved(data)
  if (before?.endedAt && !(await target.awaits(before.move))) refuseMoved(data)
  const moved: Moved = { begunAt: systemClock.now(), move: randomUUID(), ...before, to, endedAt: null }
  writeMoved(data, moved)
  try {
    await target.claim(moved.move, source.tables)
    return moved
  } catch (error) {
    if (before) writeMoved(data, before)
    else forgetMoved(data)
    throw error
  }
}

const withoutPassword = (text: string): string => {
  const url = new URL(text)
  url.password = ''
  return url.href
}

const watched = async (source: Source, target: Target): Promise<{ seconds: number; compared: Compared[] }> => {
  const copying = new Progress(process.stderr, { unit: 'rows moved', total: 1 })
  let checking: Progress | undefined
  const compared = await move(source, target, {
    copied: (rows, of) => copying.update(rows, rows / of),
    indexing: () => copying.say('all rows are there; making the indexes'),
    checked: (rows, of) => {
      checking ??= new Progress(process.stderr, { unit: 'rows checked', total: 1 })
      checking.update(rows, rows / of)
    },
  })
  checking?.clear()
  return { seconds: copying.seconds, compared }
}

const SHOWN_DIGITS = 16

const tell = (call: Typed, { to, seconds, compared }: { to: string; seconds: number; compared: Compared[] }): void => {
  const different = compared.filter(({ same }) => !same).map(({ table }) => table)
  const width = Math.max(...compared.map(({ table }) => table.length))
  const lines = compared.map(({ table, source, target, same }) => {
    const rows = spelt(source.rows).padStart(12)
    const verdict = same ? 'the same' : `DIFFERENT: ${spelt(target.rows)} rows, ${target.checksum.slice(0, SHOWN_DIGITS)} there`
    return `${table.padEnd(width)} ${rows} rows  ${source.checksum.slice(0, SHOWN_DIGITS)}  ${verdict}`
  })
  const rows = compared.reduce((sum, { source }) => sum + source.rows, 0)
  const next = [
    `${spelt(rows)} rows are in ${to}, all compared, after ${seconds.toFixed(1)} s.`,
    'Start nodes with CARILLON_DATABASE_URL and the same key file.',
  ]
  call.print(
    { to, moved: different.length === 0, seconds: Number(seconds.toFixed(1)), tables: compared },
    [...lines, ...(different.length === 0 ? next : [])].join('\n'),
  )
  if (different.length === 0) return
  throw new Failed(`${different.join(', ')} differ: somebody else wrote to the database. Empty it, and call this again`)
}
