import { Refused } from '@carillon/protocol/errors.ts'
import { ConfigError } from '@carillon/server/config.ts'
import { KeyError } from '@carillon/server/access/key.ts'
import { FolderLocked } from '@carillon/server/store/sqlite/lock.ts'
import { appCommands } from './app.ts'
import { backupCommands } from './backup.ts'
import { certCommands } from './cert.ts'
import { type Command, Failed, UsageError, runCommand } from './command.ts'
import { deviceCommands } from './device.ts'
import { doctorCommands } from './doctor.ts'
import { migrateCommands } from './migrate.ts'
import { notifyCommands } from './notify.ts'
import { simulateCommands } from './simulate.ts'
import { taskCommands } from './task.ts'
import { tokenCommands } from './token.ts'
import { userCommands } from './user.ts'

const commands: Command[] = [
  ...appCommands, ...tokenCommands, ...userCommands, ...deviceCommands, ...certCommands, ...notifyCommands, ...taskCommands,
  ...simulateCommands, ...backupCommands, ...migrateCommands, ...doctorCommands,
]

/** The first sentence of a help text. */
const summaryOf = (help: string): string => help.replaceAll('\n', ' ').split(/(?<=[.?])\s/)[0]!

const overview = (): string =>
  [
    'carillon: push notifications on your own machine',
    '',
    '  carillon serve [--port 7700] [--data ./data] …',
    '      Runs the server until it is told to stop.',
    ...commands.flatMap(({ usage, help }) => [`  carillon ${usage}`, `      ${summaryOf(help)}`]),
    '',
    'carillon COMMAND --help tells more, with examples. The commands work on the data folder (CARILLON_DATA) or on PostgreSQL',
    '(CARILLON_DATABASE_URL), beside running servers too, which follow within a second. All take --json. Exit codes: 0 done,',
    '1 failed, 2 called wrongly.',
  ].join('\n')

/** The command: 0 done, 1 failed, 2 called or configured wrongly. */
export const main = async (argv: string[]): Promise<number> => {
  try {
    return await run(argv)
  } catch (error) {
    const lines = error instanceof ConfigError ? error.problems : [error instanceof Error ? error.message : String(error)]
    for (const line of lines) console.error(`carillon: ${line}`)
    if (error instanceof ConfigError || error instanceof UsageError || error instanceof KeyError) return 2
    if (error instanceof Failed || error instanceof FolderLocked || error instanceof Refused) return 1
    if (process.env.CARILLON_LOG_LEVEL === 'debug') console.error(error)
    return 1
  }
}

const run = async (argv: string[]): Promise<number> => {
  const [first, ...rest] = argv
  if (first === 'help' && rest.length > 0) return run([...rest, '--help'])
  if (first === undefined || first === 'help' || first === '--help') {
    console.log(overview())
    return 0
  }
  if (first === 'serve') {
    const { serve, serveHelp } = await import('./serve.ts') // the whole server: other commands start without it
    if (rest.includes('--help')) {
      console.log(serveHelp())
      return 0
    }
    return serve(rest)
  }
  const command = commands.find(({ name }) => argv.slice(0, name.split(' ').length).join(' ') === name)
  if (!command) throw new UsageError(`there is no command ${argv.slice(0, 2).join(' ')}; see carillon help`)
  await runCommand(command, argv.slice(command.name.split(' ').length), (text) => console.log(text))
  return 0
}
