import { type ParseArgsConfig, parseArgs } from 'node:util'
import { type Config, readConfig, settings } from '@carillon/server/config.ts'
import { openStore } from '@carillon/server/open-store.ts'
import { COMMAND_LINE } from '@carillon/server/access/actor.ts'
import type { Seal } from '@carillon/server/access/seal.ts'
import { withDefaults } from '@carillon/server/access/settings.ts'
import { getApp } from '@carillon/server/store/apps.ts'
import type { App } from '@carillon/server/store/scope.ts'
import type { Store } from '@carillon/server/store/store.ts'

type Options = NonNullable<ParseArgsConfig['options']>

/** The command was called wrongly: exit 2. */
export class UsageError extends Error {}
/** The command could not do it: exit 1. */
export class Failed extends Error {}

/** What was typed. */
export interface Typed {
  positionals: string[]
  /** A switch that was given is 'true'. */
  options: Record<string, string | undefined>
  /** Options that may be given more than once. */
  lists: Record<string, string[] | undefined>
  json: boolean
  /** Prints a result: the text for people and scripts, or with --json the value. */
  print(value: unknown, text: string): void
}

export interface Call extends Typed {
  config: Config
  store: Store
  seal: Seal
}

interface About {
  /** As typed, without the program's name. */
  name: string
  usage: string
  help: string
  /** What one would really type, each with its result or reason behind a #. */
  examples: readonly string[]
  options?: Options
  /** How many arguments it takes. */
  takes: number
}

/** Most commands work on the configured store; the others see what was typed and the settings as they find them. */
export type Command = About & ({ run(call: Call): Promise<void> } | { runWithoutStore(call: Typed): Promise<void> })

export const actor = COMMAND_LINE

const commonOptions: Options = {
  data: { type: 'string' },
  'key-file': { type: 'string' },
  'database-url': { type: 'string' },
  'database-password-file': { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
}

/** Runs a command, beside a running server or without one. */
export const runCommand = async (command: Command, args: string[], print: (text: string) => void): Promise<void> => {
  const { values, positionals } = parse(args, { ...commonOptions, ...command.options })
  if (values.help) return print(helpOf(command))
  if (positionals.length !== command.takes) throw new UsageError(`usage: carillon ${command.usage}`)
  const entries = Object.entries(values)
  const typed: Typed = {
    positionals,
    options: Object.fromEntries(entries.flatMap(([key, value]) => (Array.isArray(value) ? [] : [[key, String(value)]]))),
    lists: Object.fromEntries(entries.flatMap(([key, value]) => (Array.isArray(value) ? [[key, value as string[]]] : []))),
    json: values.json === true,
    print: (value, text) => print(values.json ? JSON.stringify(value) : text),
  }
  if ('runWithoutStore' in command) return command.runWithoutStore(typed)
  const config = readConfig(settingFlags(typed), process.env)
  const { store, seal } = await openStore(config)
  try {
    await command.run({ ...typed, config, store, seal })
  } finally {
    await store.close()
  }
}

const taken = ['data', 'keyFile', 'databaseUrl', 'databasePasswordFile', 'databaseConnections', 'natsUrl', 'host', 'port', 'hashThreads'] as const

/** The settings among the options, as `carillon serve` takes them. */
export const settingFlags = ({ options }: Pick<Typed, 'options'>): string[] =>
  taken.flatMap((name) => {
    const { flag } = settings[name]
    return options[flag] === undefined ? [] : [`--${flag}`, options[flag]]
  })

const parse = (args: string[], options: Options): { values: Record<string, unknown>; positionals: string[] } => {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

export const helpOf = ({ usage, help, examples }: Pick<Command, 'usage' | 'help' | 'examples'>): string =>
  [
    `carillon ${usage}`,
    help,
    ['Examples:', ...examples.map((example) => `  ${example}`)].join('\n'),
    [
      'Every command takes --json, --data FOLDER (CARILLON_DATA) and --key-file FILE (CARILLON_KEY_FILE); where many nodes share',
      'PostgreSQL, --database-url URL (CARILLON_DATABASE_URL) and --database-password-file FILE (CARILLON_DATABASE_PASSWORD_FILE).',
    ].join('\n'),
  ].join('\n\n')

export const required = ({ options }: Pick<Typed, 'options'>, name: string): string => {
  const value = options[name]
  if (value === undefined || value.trim() === '') throw new UsageError(`--${name} is required`)
  return value
}

export const appNamed = async ({ store }: Pick<Call, 'store'>, appId: string): Promise<App> => {
  const stored = await store.read(getApp, { appId })
  if (!stored) throw new Failed(`there is no app ${appId}`)
  return withDefaults(stored)
}

export const wholeNumber = (text: string, what: string): number => {
  const value = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) throw new UsageError(`${what} must be a whole number`)
  return value
}

const units: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `90d`, `12h`, `30m`, `45s` in milliseconds. */
export const duration = (text: string): number => {
  const match = /^([1-9]\d{0,5})([smhd])$/.exec(text)
  if (!match) throw new UsageError('--expires must be a number and a unit, such as 90d, 12h, 30m')
  return Number(match[1]) * units[match[2]!]!
}
