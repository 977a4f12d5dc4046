import { availableParallelism } from 'node:os'
import { text } from 'node:stream/consumers'
import { RegisterRow } from '@carillon/protocol/bodies.ts'
import { UserLine } from '@carillon/protocol/imports.ts'
import { read } from '@carillon/protocol/read.ts'
import { checkUserLine, prepareUsers } from '@carillon/server/access/imports.ts'
import { Passwords } from '@carillon/server/access/password.ts'
import { registerBatch } from '@carillon/server/access/users.ts'
import { systemClock } from '@carillon/server/clock.ts'
import { importUsers } from '@carillon/server/store/imports.ts'
import { type Call, type Command, Failed, UsageError, appNamed, required } from './command.ts'
import { importFile } from './import.ts'

// A hash takes some 50 ms of a core: so few that a group is stored, and the progress moves, about once a second.
const HASHES_PER_GROUP = 50

/** One line: what a terminal adds at its end is not part of the password. */
const passwordOf = async ({ options }: Call): Promise<string | undefined> => {
  if (options['password-stdin'] === undefined) return options.password
  if (options.password !== undefined) throw new UsageError('--password and --password-stdin cannot both be given')
  return (await text(process.stdin)).replace(/\r?\n$/, '')
}

export const userCommands: Command[] = [
  {
    name: 'user create',
    usage: 'user create --app APP_ID --name NAME [--password P | --password-stdin] [--mobile M] [--email E]',
    help: 'Makes a user and prints the user id alone. Without a password the user cannot log in, but can be given tokens.',
    examples: [
      'carillon user create --app shop --name ann --password-stdin < password.txt   # prints the user id, such as 7',
      'carillon user create --app shop --name bob --email bob@example.com           # no password: tokens by /token/admin',
    ],
    options: {
      app: { type: 'string' },
      name: { type: 'string' },
      password: { type: 'string' },
      'password-stdin': { type: 'boolean' },
      mobile: { type: 'string' },
      email: { type: 'string' },
    },
    takes: 0,
    run: async (call) => {
      const app = await appNamed(call, required(call, 'app'))
      const { mobile, email } = call.options
      const row = read(RegisterRow, { username: required(call, 'name'), password: await passwordOf(call), mobile, email })
      const [made] = await registerBatch({ store: call.store, clock: systemClock, passwords: new Passwords() }, app, [row])
      if (!made!.success) throw new Failed(made!.reason ?? 'the user could not be made')
      call.print({ user_id: made!.user_id }, String(made!.user_id))
    },
  },
  {
    name: 'user import',
    usage: 'user import --app APP_ID FILE',
    help: [
      'Brings users into an app, one JSON object a line; FILE - reads stdin. Each line:',
      '',
      '  {"name":"ann","password_hash":"$2b$12$…","mobile":"+4915100000","email":"ann@example.com"}',
      '',
      'password_hash: argon2 ($argon2id$v=19$…) or bcrypt ($2a$, $2b$, $2y$); the first login replaces a weaker one by ours.',
      'password, in its place: the password itself, which is hashed here. That is slow by nature: some 20 users a second',
      'and core, on all cores (--hash-threads for fewer). mobile and email may be left out, and so may the password: such a',
      'user cannot log in, but can be given tokens.',
      '',
      'Works beside a running server, in short transactions. A name that is there already is skipped, so an import that was',
      'broken off is started again. A mobile number or email of another user refuses its line. Lines that are not taken are',
      'told with number and reason (the first 20), and then the exit code is 1; all others stay.',
    ].join('\n'),
    examples: [
      'carillon user import --app shop users.ndjson',
      'carillon user import --app shop - --json < users.ndjson',
    ],
    options: { app: { type: 'string' }, 'hash-threads': { type: 'string' } },
    takes: 1,
    run: async (call) => {
      const app = await appNamed(call, required(call, 'app'))
      const concurrency = call.config.hashThreads || availableParallelism()
      // Node's own pool has four threads unless it is told so before its first use, which the first hash is.
      process.env.UV_THREADPOOL_SIZE ??= String(Math.max(4, concurrency))
      const parts = { store: call.store, clock: systemClock, passwords: new Passwords({ concurrency }) }
      await importFile(call, app, {
        what: 'users',
        read: (value) => {
          const line = read(UserLine, value)
          checkUserLine(line, app)
          return line
        },
        prepare: (lines) => prepareUsers(parts, app, lines),
        add: (group) => call.store.write(importUsers, group),
        heavy: { most: HASHES_PER_GROUP, is: ({ password }) => password !== undefined },
      })
    },
  },
]
