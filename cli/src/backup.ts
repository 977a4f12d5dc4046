import { existsSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { readConfig } from '@carillon/server/config.ts'
import { backUp } from '@carillon/server/store/sqlite/backup.ts'
import { databaseFile } from '@carillon/server/store/sqlite/sqlite.ts'
import { type Command, Failed, settingFlags } from './command.ts'
import { Progress } from './progress.ts'

const PAGE_BYTES = 4_096

/** One line to paste; pg_dump asks for the password, or finds it where libpq looks for it. */
const dumpInstead = (databaseUrl: string, file: string, keyFile: string): string => {
  const address = new URL(databaseUrl)
  address.password = ''
  return `the store is PostgreSQL, which copies itself: pg_dump --format=custom --file='${file}' '${address.href}' (and keep ${keyFile} apart)`
}

export const backupCommands: Command[] = [
  {
    name: 'backup',
    usage: 'backup FILE [--force]',
    help: [
      'Copies the store into FILE while the server runs: one consistent moment, checked before it gets its name. An existing',
      'file is overwritten only with --force. The key file is not in it: keep that apart from the copies, for without it the',
      'sealed secrets (certificates, push tokens, file keys) cannot be opened, and with it they can.',
      '',
      'To restore: put FILE into an empty data folder as carillon.sqlite, the key beside it as key, and start the server.',
      '',
      'Where the store is PostgreSQL its own pg_dump does this: the command then says how.',
    ].join('\n'),
    examples: [
      'carillon backup /backups/carillon-$(date +%F).sqlite',
      'carillon backup latest.sqlite --force --json',
    ],
    options: { force: { type: 'boolean' } },
    takes: 1,
    runWithoutStore: async (call) => {
      const file = call.positionals[0]!
      const { data, keyFile, databaseUrl } = readConfig(settingFlags(call), process.env)
      if (databaseUrl !== '') throw new Failed(dumpInstead(databaseUrl, file, keyFile))
      if (!existsSync(databaseFile(data))) throw new Failed(`there is no store in ${data}`)
      if (!existsSync(dirname(file))) throw new Failed(`there is no folder ${dirname(file)}`)
      const standing = existsSync(file)
      if (standing && realpathSync(file) === realpathSync(databaseFile(data))) {
        throw new Failed('a backup cannot take the place of the store itself')
      }
      if (standing && call.options.force === undefined) throw new Failed(`${file} is there already; --force overwrites it`)
      const progress = new Progress(process.stderr, { unit: 'KiB', total: 1 })
      const { bytes } = await backUp({
        folder: data,
        file,
        progress: (copied, pages) => progress.update((copied * PAGE_BYTES) / 1024, copied / pages),
      })
      progress.clear()
      call.print(
        { file, bytes, key_file: keyFile, includes_key: false },
        [
          `${file}: ${(bytes / 1_048_576).toFixed(1)} MiB, checked`,
          `The key is not in it. Keep ${keyFile} apart: without it the sealed secrets cannot be opened.`,
        ].join('\n'),
      )
    },
  },
]
