import { readFileSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { parseJson } from '@carillon/protocol/json.ts'
import { messageTypes, strategies } from '@carillon/protocol/names.ts'
import { type Command, Failed, type Typed, UsageError, required, wholeNumber } from './command.ts'
import { callServer, serverOptions, serverUrl } from './server-call.ts'
import { finalLines, watchTask } from './watch.ts'

const audienceOptions = {
  all: { type: 'boolean' },
  user: { type: 'string', multiple: true },
  tag: { type: 'string', multiple: true },
  alias: { type: 'string', multiple: true },
  'push-token': { type: 'string', multiple: true },
} as const

const contentOptions = {
  title: { type: 'string' },
  body: { type: 'string' },
  type: { type: 'string' },
  ext: { type: 'string' },
  badge: { type: 'string' },
  'request-id': { type: 'string' },
  strategy: { type: 'string' },
  ttl: { type: 'string' },
  'send-time': { type: 'string' },
  'dry-run': { type: 'boolean' },
} as const

const given = (call: Typed, names: readonly string[]): string[] =>
  names.filter((name) => call.options[name] !== undefined || call.lists[name] !== undefined)

/** Exactly one of the five. */
const audienceOf = (call: Typed): unknown => {
  const [name, another] = given(call, Object.keys(audienceOptions))
  if (name === undefined || another !== undefined) {
    throw new UsageError('say who should get it with one of --all, --user, --tag, --alias, --push-token')
  }
  if (name === 'all') return 'all'
  const items = call.lists[name]!
  if (name !== 'user') return { [name.replace('-', '_')]: items }
  return { user_id: items.flatMap((item) => item.split(',')).map((id) => wholeNumber(id.trim(), '--user')) }
}

/** Unix seconds from digits, or from a date such as 2030-01-01T09:00:00Z. */
const secondsOf = (text: string): number => {
  if (/^\d+$/.test(text)) return wholeNumber(text, '--send-time')
  const at = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(at)) throw new UsageError('--send-time must be Unix seconds or a date such as 2030-01-01T09:00:00Z')
  return Math.floor(at / 1000)
}

/** As it was written: the exact parser keeps numbers that a double would round. */
const extOf = (text: string): unknown => {
  try {
    return parseJson(Buffer.from(text))
  } catch (error) {
    throw new UsageError(`--ext ${(error as Error).message.replace(/^body /, '')}`)
  }
}

const bodyOf = (call: Typed): string => {
  const { title, body, type, ext, badge, strategy, ttl } = call.options
  const sendTime = call.options['send-time']
  const message = { type, title, body, badge, ext: ext === undefined ? undefined : extOf(ext) }
  const setting = {
    request_id: call.options['request-id'],
    distribution_strategy: strategy,
    time_to_live: ttl === undefined ? undefined : wholeNumber(ttl, '--ttl'),
    send_time: sendTime === undefined ? undefined : secondsOf(sendTime),
    dry_run: call.options['dry-run'] === undefined ? undefined : true,
  }
  return JSON.stringify({ audience: audienceOf(call), message, setting })
}

const fileBody = async (call: Typed, file: string): Promise<string> => {
  const [beside] = given(call, Object.keys({ ...audienceOptions, ...contentOptions }))
  if (beside !== undefined) throw new UsageError(`--file is a whole body: --${beside} cannot be given beside it`)
  try {
    return (file === '-' ? await buffer(process.stdin) : readFileSync(file)).toString()
  } catch (error) {
    throw new Failed(`--file: ${(error as Error).message}`)
  }
}

export const notifyCommands: Command[] = [
  {
    name: 'notify',
    usage:
      'notify --app APP_ID --token TOKEN (--all | --user 1,2 | --tag T | --alias A | --push-token P) '
      + '--title … --body … [--watch]',
    help: [
      'Sends a notification through the running server and prints the task id. TOKEN is an admin token (`token create`) or a',
      'user’s. --tag, --alias, --push-token and --user may be given several times.',
      '',
      `  --type ${messageTypes.join(' | ')}          --ext JSON            --badge 3 | +3`,
      `  --strategy ${strategies.join(' | ')}    --request-id ID`,
      '  --ttl SECONDS        --send-time UNIX_SECONDS or a date        --dry-run',
      '  --file FILE          the whole body of POST /push/notify, in place of all these; - reads stdin',
      '  --watch              shows target, sent and received of every channel until the task has ended',
      '  --url URL            where the server is; default: --host and --port, as in the settings',
    ].join('\n'),
    examples: [
      'carillon notify --app demo --token ca_… --all --title Hello --body "from Carillon" --watch',
      'carillon notify --app demo --token ca_… --user 1,2 --type cmd --ext \'{"sync":true}\' --ttl 60',
      'carillon notify --app demo --token ca_… --tag vip --title Sale --send-time 2030-01-01T09:00:00Z --request-id sale-1',
      'carillon notify --app demo --token ca_… --file notify.json --json',
    ],
    options: {
      app: { type: 'string' },
      token: { type: 'string' },
      file: { type: 'string' },
      watch: { type: 'boolean' },
      ...audienceOptions,
      ...contentOptions,
      ...serverOptions,
    },
    takes: 0,
    runWithoutStore: async (call) => {
      const headers = { app_id: required(call, 'app'), 'access-token': required(call, 'token') }
      const { file, watch } = call.options
      const body = file === undefined ? bodyOf(call) : await fileBody(call, file)
      const url = serverUrl(call)
      const { task_id } = (await callServer(url, '/push/notify', { headers, body })) as { task_id: number }
      if (watch === undefined) return call.print({ task_id }, String(task_id))
      if (!call.json) call.print({ task_id }, String(task_id))
      const task = await watchTask({ url, headers, taskId: task_id, out: call.json ? undefined : process.stdout })
      if (call.json) call.print(task, finalLines(task).join('\n'))
    },
  },
]
