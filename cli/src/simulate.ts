import { once } from 'node:events'
import { type VendorName, consoleReporters, sequenceItems, vendorNames } from '@carillon/protocol/names.ts'
import { settings } from '@carillon/server/config.ts'
import { type Command, Failed, UsageError, wholeNumber } from './command.ts'

const PORT = 7800
const PORTS = 1 + vendorNames.length // the inspection's, then one for each vendor
const PORT_MOST = 65_535 - PORTS + 1

const portOf = (text: string): number => {
  const port = wholeNumber(text, '--port')
  if (port > PORT_MOST) throw new UsageError(`--port must be at most ${PORT_MOST}: ${PORTS} ports in a row are taken`)
  return port
}

/** The vendors' addresses for receipts, each told by its own path: …/push/receipt/huawei/SECRET. */
const receiptUrlsOf = (urls: readonly string[]): Partial<Record<VendorName, string>> =>
  Object.fromEntries(urls.map((url) => [consoleOf(url), url]))

const consoleOf = (url: string): VendorName => {
  const isWeb = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
  const name = isWeb ? /\/push\/receipt\/([a-z]+)\/[^/]+$/.exec(new URL(url).pathname)?.[1] : undefined
  const vendor = name === undefined ? undefined : consoleReporters.find((one) => one === name)
  if (vendor !== undefined) return vendor
  if (name !== undefined && Object.hasOwn(sequenceItems, name)) {
    throw new UsageError(`--receipts: ${name} is told with every push where to report to, if CARILLON_PUBLIC_URL is set`)
  }
  throw new UsageError(`--receipts must be a receipt_url of GET /push/certificate/list, of one of ${consoleReporters.join(', ')}`)
}

/** The variable that leads the server to a vendor's simulator. */
const variableOf = (vendor: VendorName): string => settings[`vendorUrl ${vendor}`].env

export const simulateCommands: Command[] = [
  {
    name: 'simulate',
    usage: `simulate [--port ${PORT}] [--receipts URL …]`,
    help: [
      'Runs simulators of all vendors, to push through all of them without an account at any. It prints the variables',
      'that lead a server there (all it prints can be pasted into a shell) and goes on until SIGTERM or Ctrl-C.',
      '',
      'The simulators are as strict as the vendors about calls, fields and limits; of credentials they check the form, and',
      'take all that are well-formed (leave OPPO’s AppId blank: it is in its reports, and a simulator cannot know yours).',
      '',
      'The page that is named first shows what they receive, as it comes; as JSON that is at /received, /receipts and',
      '/fates?vendor=…, and POST /order makes a vendor misbehave:',
      '',
      '  {"vendor":"fcm","fault":"limited","retryAfterSeconds":5,"times":3}',
      '  {"vendor":"huawei","fault":"status","status":503,"chance":0.5}     # DELETE /order ends it',
      '',
      `  --port PORT       the page’s; the vendors take the ${PORTS - 1} ports that follow; 0 takes any free ones; default ${PORT}`,
      `  --receipts URL    where vendors report deliveries to whose consoles keep the address (${consoleReporters.join(', ')}): the`,
      '                    receipt_url of GET /push/certificate/list. May be given several times. All need a server that',
      '                    knows its own address (CARILLON_PUBLIC_URL); the other vendors get theirs with every push',
    ].join('\n'),
    examples: [
      'carillon simulate',
      'carillon simulate --port 0 --json   # {"inspect_url":"http://…","env":{"CARILLON_VENDOR_URL_APNS":"http://…",…}}',
      'carillon simulate --receipts http://127.0.0.1:7700/push/receipt/huawei/…',
      `curl -s http://127.0.0.1:${PORT}/order -H 'content-type: application/json' -d '{"vendor":"apns","fault":"goaway","times":1}'`,
    ],
    options: { port: { type: 'string' }, receipts: { type: 'string', multiple: true } },
    takes: 0,
    runWithoutStore: async ({ options, lists, print }) => {
      const port = portOf(options.port ?? String(PORT))
      const receiptUrls = receiptUrlsOf(lists.receipts ?? [])
      const stopped = Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')])
      const { startSimulators } = await import('@carillon/simulators/simulators.ts') // a server for each: only here
      const simulators = await startSimulators({ port, receiptUrls }).catch((error: Error) => {
        throw new Failed(`the simulators cannot listen: ${error.message}; --port says where, 0 takes any free ports`)
      })
      const vendors = Object.entries(simulators.urls) as [VendorName, string][]
      const env = Object.fromEntries(vendors.map(([vendor, url]) => [variableOf(vendor), url]))
      print({ inspect_url: simulators.inspectUrl, env }, told(simulators.inspectUrl, env))
      await stopped
      await simulators.close()
    },
  },
]

/** All of it is good for a shell: what is no variable is a comment. */
const told = (inspectUrl: string, env: Record<string, string>): string =>
  [
    `# What the simulators receive: ${inspectUrl}`,
    '# Where the server is started, so that it pushes to them:',
    ...Object.entries(env).map(([name, url]) => `export ${name}=${url}`),
    '# And, so that they report deliveries, the address the server will have:',
    `# export ${settings.publicUrl.env}=http://127.0.0.1:${settings.port.fallback}`,
  ].join('\n')
