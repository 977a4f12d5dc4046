import { join } from 'node:path'
import { type VendorName, spokenName, vendorNames } from '@carillon/protocol/names.ts'
import { withPassword } from './config-database.ts'
import { type S3Place, parseS3 } from './config-files.ts'
import { natsServers } from './config-nats.ts'
import { logLevels } from './log.ts'

/** What a node may do: answer calls, hold devices' connections, plan and send. */
export const parts = ['http', 'gateway', 'worker'] as const
export type Part = (typeof parts)[number]

/** A setting is said once: name, how it reads, default, reason. Flags, environment and help derive from it. */
interface Setting<T> {
  flag: string
  env: string
  value: string
  fallback: T
  help: string
  read(text: string): T
}

/** What is wrong with the settings, all of it. */
export class ConfigError extends Error {
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

const integer = (min: number, max: number) => (text: string): number => {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < min || value > max) throw new Error(`must be a whole number from ${min} to ${max}`)
  return value
}

const text = (value: string): string => {
  if (value.trim() === '') throw new Error('must not be blank')
  return value
}

const oneOf = <const T extends readonly string[]>(values: T) => (value: string): T[number] => {
  if (!values.includes(value)) throw new Error(`must be one of ${values.join(', ')}`)
  return value
}

const items = (value: string): string[] => value.split(',').map((item) => item.trim()).filter((item) => item !== '')

const partsOf = (value: string): Part[] => {
  const named = items(value)
  const wrong = named.filter((name) => !parts.some((part) => part === name))
  if (named.length === 0 || wrong.length > 0) throw new Error(`must be one or more of ${parts.join(', ')}, separated by commas`)
  return parts.filter((part) => named.includes(part))
}

const databaseUrl = (value: string): string => {
  if (!URL.canParse(value) || !/^postgres(ql)?:$/.test(new URL(value).protocol)) throw new Error('must be a URL such as postgres://user:password@host:5432/carillon')
  return value
}

const natsPrefix = (value: string): string => {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(value)) throw new Error('must be 1 to 64 letters, digits, - or _')
  return value
}

const natsUrl = (value: string): string => {
  natsServers(value)
  return value
}

const proxies = (value: string): string[] | number => (/^\d+$/.test(value) ? integer(0, 32)(value) : items(value))

const origin = (value: string): string => {
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) throw new Error('must be an http or https address')
  return value.replace(/\/+$/, '')
}

const origins = (value: string): string[] =>
  items(value).map((item) => {
    if (!URL.canParse(item) || new URL(item).origin !== item) throw new Error(`must be origins such as https://app.example.com, not ${item}`)
    return item
  })

const setting = <T>(flag: string, value: string, fallback: T, read: (text: string) => T, help: string): Setting<T> => ({
  flag, env: `CARILLON_${flag.toUpperCase().replaceAll('-', '_')}`, value, fallback, read, help,
})

/** One setting for each vendor, under keys such as `vendorUrl flyme`; people read the name they know it by. */
const perVendor = <const K extends string, T>(key: K, make: (spoken: string) => Setting<T>): { [N in VendorName as `${K} ${N}`]: Setting<T> } =>
  Object.fromEntries(vendorNames.map((name) => [`${key} ${name}`, make(spokenName(name))])) as { [N in VendorName as `${K} ${N}`]: Setting<T> }

export const settings = {
  host: setting('host', 'ADDRESS', '127.0.0.1', text, 'address both doors listen on; 0.0.0.0 for the whole network'),
  port: setting('port', 'PORT', 7700, integer(0, 65535), 'HTTP: API and MQTT over WebSocket; 0 takes any free port'),
  mqttPort: setting('mqtt-port', 'PORT', 7701, integer(0, 65535), 'MQTT over TCP; 0 takes any free port'),
  data: setting('data', 'FOLDER', './data', text, 'where everything is kept'),
  keyFile: setting('key-file', 'FILE', '', text, 'the key that seals secrets; default: `key` in the data folder, made at the first start'),
  tlsCert: setting('tls-cert', 'FILE', '', text, 'certificate in PEM, with its chain: both doors then speak TLS; read again on SIGHUP'),
  tlsKey: setting('tls-key', 'FILE', '', text, 'the private key of --tls-cert in PEM'),
  databaseUrl: setting('database-url', 'URL', '', databaseUrl, 'PostgreSQL for many nodes: postgres://user:password@host/database; default: SQLite in the data folder, one node'),
  databasePasswordFile: setting('database-password-file', 'FILE', '', text, 'holds the password of --database-url, where secrets are files'),
  databaseConnections: setting('database-connections', 'COUNT', 12, integer(2, 500), 'connections of this node to PostgreSQL, a third of them for reading'),
  natsUrl: setting('nats-url', 'URL', '', natsUrl, 'NATS, by which many nodes nudge one another: nats://host:4222, several separated by commas; without it they look each second'),
  natsPrefix: setting('nats-prefix', 'NAME', 'carillon', natsPrefix, 'the first word of every subject, for installations that share a NATS'),
  parts: setting<Part[]>('parts', 'LIST', [...parts], partsOf, 'what this node does: http, gateway, worker; default: all three'),
  publicUrl: setting('public-url', 'URL', '', origin, 'the address others reach this server by, put into the addresses of files and into what vendors report to; default: files get the one it listens on, vendors none'),
  filesUrl: setting<S3Place | null>('files-url', 'URL', null, parseS3, 'attachments in a store that speaks S3: s3://key:secret@host/bucket; default: in the data folder'),
  fileDays: setting('file-days', 'DAYS', 30, integer(1, 3650), 'how long attachments are kept'),
  ackSeconds: setting('ack-seconds', 'SECONDS', 10, integer(1, 3600), 'how long a connected device may take to acknowledge before the next channel is tried'),
  httpStatus: setting('http-status', 'KIND', 'real', oneOf(['real', 'always-200']), 'HTTP status of failures; always-200 for clients that read only the code in the answer'),
  trustProxy: setting<string[] | number>('trust-proxy', 'LIST', 0, proxies, 'whose X-Forwarded-For counts: addresses, or the number of proxies in front'),
  corsOrigins: setting<string[]>('cors-origins', 'LIST', [], origins, 'web origins whose pages may call the API'),
  loginFailures: setting('login-failures', 'COUNT', 5, integer(1, 1_000), 'wrong passwords of one account that cost nothing; after them each one doubles the wait'),
  addressFailures: setting('address-failures', 'COUNT', 60, integer(1, 1_000_000), 'wrong passwords from one address before it is slowed down'),
  greetingsPerAddress: setting('greetings-per-address', 'COUNT', 1_000, integer(1, 100_000), 'device connections of one address that may be open before they have shown who they are'),
  hashThreads: setting('hash-threads', 'COUNT', 0, integer(0, 64), 'passwords hashed at once; 0 leaves one core free'),
  ...perVendor('vendorUrl', (name) =>
    setting(`vendor-url-${name}`, 'ORIGIN', '', origin, `takes the place of every host of ${name}: a simulator or a proxy`)),
  ...perVendor('vendorRate', (name) =>
    setting(`vendor-rate-${name}`, 'COUNT', 0, integer(0, 1_000_000), `the most that one app sends to ${name} a second; 0: what ${name} documents`)),
  logLevel: setting('log-level', 'LEVEL', 'info', oneOf(logLevels), 'debug, info, warn, error or silent'),
} satisfies Record<string, Setting<never> | Setting<unknown>>

type Settings = typeof settings
export type Config = { [K in keyof Settings]: ReturnType<Settings[K]['read']> }

/** What was set for single vendors, by channel. */
export const vendorConfig = (config: Config): { origins: Partial<Record<VendorName, string>>; rates: Partial<Record<VendorName, number>> } => {
  const origins: Partial<Record<VendorName, string>> = {}
  const rates: Partial<Record<VendorName, number>> = {}
  for (const name of vendorNames) {
    if (config[`vendorUrl ${name}`] !== '') origins[name] = config[`vendorUrl ${name}`]
    if (config[`vendorRate ${name}`] !== 0) rates[name] = config[`vendorRate ${name}`]
  }
  return { origins, rates }
}

const byFlag = new Map(Object.entries(settings).map(([name, { flag }]) => [flag, name as keyof Settings]))

/** Flags before environment before defaults. All problems are told together, those that `check` finds included. */
export const readConfig = (
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  check: (config: Config) => readonly string[] = () => [],
): Config => {
  const problems: string[] = []
  const given = readFlags(argv, problems)
  const config: Record<string, unknown> = {}
  for (const [name, { flag, env: variable, fallback, read }] of Object.entries(settings) as [keyof Settings, Setting<unknown>][]) {
    const fromFlag = given.get(name)
    const fromEnv = env[variable]
    const [source, value] = fromFlag === undefined ? [variable, fromEnv] : [`--${flag}`, fromFlag]
    config[name] = fallback
    if (value === undefined || (fromFlag === undefined && value.trim() === '')) continue
    try {
      config[name] = read(value)
    } catch (error) {
      problems.push(`${source} ${(error as Error).message}`)
    }
  }
  const made = config as Config
  if ((made.tlsCert === '') !== (made.tlsKey === '')) {
    const [there, missing] = made.tlsCert === '' ? ['tlsKey', 'tlsCert'] as const : ['tlsCert', 'tlsKey'] as const
    problems.push(`${settings[missing].env} must be set too: ${settings[there].env} is`)
  }
  if (made.databaseUrl === '') {
    if (made.natsUrl !== '') problems.push(`${settings.databaseUrl.env} must be set too: ${settings.natsUrl.env} is`)
    if (made.parts.length < parts.length) problems.push(`${settings.databaseUrl.env} must be set too: on SQLite one node does everything`)
    if (made.databasePasswordFile !== '') problems.push(`${settings.databaseUrl.env} must be set too: ${settings.databasePasswordFile.env} is`)
  } else if (made.databasePasswordFile !== '') {
    try {
      made.databaseUrl = withPassword(made.databaseUrl, made.databasePasswordFile)
    } catch (error) {
      problems.push(`${settings.databasePasswordFile.env} ${(error as Error).message}`)
    }
  }
  problems.push(...check(made))
  if (problems.length > 0) throw new ConfigError(problems)
  return { ...made, keyFile: made.keyFile || join(made.data, 'key') }
}

const readFlags = (argv: readonly string[], problems: string[]): Map<keyof Settings, string> => {
  const given = new Map<keyof Settings, string>()
  for (let i = 0; i < argv.length; i++) {
    const [flag, inline] = splitFlag(argv[i]!)
    const name = byFlag.get(flag)
    if (!name) {
      problems.push(`${argv[i]} is not a setting; see carillon serve --help`)
      continue
    }
    const value = inline ?? argv[++i]
    if (value === undefined) problems.push(`--${flag} needs a value`)
    else given.set(name, value)
  }
  return given
}

const splitFlag = (argument: string): [string, string | undefined] => {
  const match = /^--([a-z-]+)(?:=(.*))?$/s.exec(argument)
  return match ? [match[1]!, match[2]] : [argument, undefined]
}

/** Variables with our prefix that mean nothing: most likely misspelt. */
export const unknownVariables = (env: NodeJS.ProcessEnv): string[] => {
  const known = new Set(Object.values(settings).map(({ env: variable }) => variable))
  return Object.keys(env).filter((name) => name.startsWith('CARILLON_') && !known.has(name))
}

export const settingsHelp = (): string =>
  Object.values(settings)
    .map(({ flag, env, value, fallback, help }) => {
      const standard = typeof fallback === 'number' || (typeof fallback === 'string' && fallback !== '') ? ` (default ${fallback})` : ''
      return `  --${flag} ${value}\n      ${help}${standard}\n      ${env}`
    })
    .join('\n')
