import { makeApp } from '@carillon/server/access/apps.ts'
import { readSettingText, settingKeys, withDefaults } from '@carillon/server/access/settings.ts'
import { systemClock } from '@carillon/server/clock.ts'
import { listApps, renameApp, setAppSettings } from '@carillon/server/store/apps.ts'
import { read } from '@carillon/protocol/read.ts'
import { Name } from '@carillon/protocol/types.ts'
import { type Command, Failed, actor, appNamed } from './command.ts'

export const appCommands: Command[] = [
  {
    name: 'app create',
    usage: 'app create APP_ID [--name NAME]',
    help: 'Makes an app: its own users, devices, certificates and tasks. NAME is what people see; default: APP_ID.',
    examples: ['carillon app create shop --name "My Shop"   # prints shop'],
    options: { name: { type: 'string' } },
    takes: 1,
    run: async ({ positionals: [appId], options, store, print }) => {
      const id = read(Name, appId, 'APP_ID')
      const name = read(Name, options.name ?? id, '--name')
      const { app, made } = await makeApp({ store, clock: systemClock }, { appId: id, name, actor })
      if (!made) throw new Failed(`there is an app ${id} already`)
      print({ app_id: app.app_id, name: app.name }, app.app_id)
    },
  },
  {
    name: 'app list',
    usage: 'app list',
    help: 'Lists the apps: id, name, whether push is on. With --json all of their settings.',
    examples: ['carillon app list', 'carillon app list --json'],
    takes: 0,
    run: async ({ store, print }) => {
      const apps = (await store.read(listApps, {})).map(withDefaults)
      const rows = apps.map(({ app_id, name, settings }) => ({ app_id, name, ...settings }))
      print(rows, rows.map((row) => `${row.app_id}\t${row.name}\tpush ${row.push_enabled ? 'on' : 'off'}`).join('\n'))
    },
  },
  {
    name: 'app set',
    usage: 'app set APP_ID KEY VALUE',
    help: `Changes a setting of an app: name, ${settingKeys.join(', ')}.\nA running server follows within a second.`,
    examples: [
      'carillon app set shop push_enabled false   # notify then answers 12006',
      'carillon app set shop token_days 90',
      'carillon app set shop name "Our Shop"',
    ],
    takes: 3,
    run: async (call) => {
      const { positionals: [appId, key, value], store, print } = call
      const app = await appNamed(call, appId!)
      const now = systemClock.now()
      if (key === 'name') await store.write(renameApp, { app: app.id, name: read(Name, value, 'name'), actor, now })
      else await store.write(setAppSettings, { app: app.id, change: readSettingText(key!, value!), actor, now })
      print({ app_id: app.app_id, [key!]: value }, `${key} = ${value}`)
    },
  },
]
