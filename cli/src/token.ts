import { makeAdminToken } from '@carillon/server/access/apps.ts'
import { systemClock } from '@carillon/server/clock.ts'
import { listAdminTokens, revokeToken } from '@carillon/server/store/tokens.ts'
import { type Command, Failed, actor, appNamed, duration, required, wholeNumber } from './command.ts'

const date = (at: number | null): string => (at === null ? 'never' : new Date(at).toISOString())

export const tokenCommands: Command[] = [
  {
    name: 'token create',
    usage: 'token create --app APP_ID [--name NAME] [--expires 90d]',
    help: 'Makes an admin token and prints it alone, this once. It never expires unless --expires says so (90d, 12h, 30m).',
    examples: [
      'carillon token create --app shop --name ci --expires 90d',
      'TOKEN=$(carillon token create --app shop)   # it is not shown again',
    ],
    options: { app: { type: 'string' }, name: { type: 'string' }, expires: { type: 'string' } },
    takes: 0,
    run: async (call) => {
      const { options, store, print } = call
      const expiresAt = options.expires === undefined ? null : systemClock.now() + duration(options.expires)
      const app = await appNamed(call, required(call, 'app'))
      const { id, token } = await makeAdminToken({ store, clock: systemClock }, app, { name: options.name ?? null, expiresAt, actor })
      print({ id, token, expires_at: expiresAt }, token)
    },
  },
  {
    name: 'token list',
    usage: 'token list --app APP_ID',
    help: 'Lists the admin tokens of an app: number, name, dates. The tokens themselves are not kept.',
    examples: ['carillon token list --app shop'],
    options: { app: { type: 'string' } },
    takes: 0,
    run: async (call) => {
      const app = await appNamed(call, required(call, 'app'))
      const rows = await call.store.read(listAdminTokens, { app: app.id })
      call.print(rows, rows.map((row) => `${row.id}\t${row.name ?? ''}\tmade ${date(row.created_at)}\texpires ${date(row.expires_at)}`).join('\n'))
    },
  },
  {
    name: 'token revoke',
    usage: 'token revoke NUMBER --app APP_ID',
    help: 'Ends an admin token by its number in `token list`. A running server refuses it within a second.',
    examples: ['carillon token revoke 3 --app shop'],
    options: { app: { type: 'string' } },
    takes: 1,
    run: async (call) => {
      const app = await appNamed(call, required(call, 'app'))
      const id = wholeNumber(call.positionals[0]!, 'NUMBER')
      if (!(await call.store.write(revokeToken, { app: app.id, id, actor, now: systemClock.now() }))) throw new Failed(`app ${app.app_id} has no token ${id}`)
      call.print({ id, revoked: true }, `token ${id} is revoked`)
    },
  },
]
