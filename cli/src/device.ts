import { DeviceLine } from '@carillon/protocol/imports.ts'
import { providersInWords } from '@carillon/protocol/names.ts'
import { read } from '@carillon/protocol/read.ts'
import { checkDeviceLine, prepareDevices } from '@carillon/server/access/imports.ts'
import { PushTokens } from '@carillon/server/access/push-tokens.ts'
import { systemClock } from '@carillon/server/clock.ts'
import { importDevices } from '@carillon/server/store/imports.ts'
import { type Command, appNamed, required } from './command.ts'
import { importFile } from './import.ts'

export const deviceCommands: Command[] = [
  {
    name: 'device import',
    usage: 'device import --app APP_ID FILE',
    help: [
      'Brings devices into an app, one JSON object a line; FILE - reads stdin. Each line:',
      '',
      '  {"name":"ann","device_guid":"4f1c","platform":"android","alias":"a1","tags":["vip"],',
      '   "tokens":[{"provider":7,"environment":1,"token":"…"}]}',
      '',
      'The user by name or by user_id, who must be there. platform: ios, android, web, other.',
      `provider: ${providersInWords}.`,
      'environment: 0 development, 1 production (default). tokens, tags and alias may be left out.',
      'Vendors reach the devices at once; the own channel, when they log in with their device_guid.',
      '',
      'Works beside a running server, in short transactions. A device its user has already is skipped, so an import that',
      'was broken off is started again. Nothing is taken away: a device_guid of another user, or a vendor token of another',
      'device, refuses its line. Lines that are not taken are told with number and reason (the first 20), and then the exit',
      'code is 1; all others stay.',
    ].join('\n'),
    examples: [
      'carillon device import --app shop devices.ndjson',
      'zcat devices.ndjson.gz | carillon device import --app shop - --json',
    ],
    options: { app: { type: 'string' } },
    takes: 1,
    run: async (call) => {
      const app = await appNamed(call, required(call, 'app'))
      const parts = { seal: call.seal, clock: systemClock, pushTokens: new PushTokens() }
      await importFile(call, app, {
        what: 'devices',
        read: (value) => {
          const line = read(DeviceLine, value)
          checkDeviceLine(line)
          return line
        },
        prepare: (lines) => prepareDevices(parts, app, lines),
        add: (group) => call.store.write(importDevices, group),
      })
    },
  },
]
