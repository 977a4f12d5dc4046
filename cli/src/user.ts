import { text } from 'node:stream/consumers'
import { RegisterRow } from '@carillon/protocol/bodies.ts'
import { read } from '@carillon/protocol/read.ts'
import { Passwords } from '@carillon/server/access/password.ts'
import { registerBatch } from '@carillon/server/access/users.ts'
import { systemClock } from '@carillon/server/clock.ts'
import { type Call, type Command, Failed, UsageError, appNamed, required } from './command.ts'

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
]
