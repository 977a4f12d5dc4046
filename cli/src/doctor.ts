import { existsSync } from 'node:fs'
import { systemClock } from '@carillon/server/clock.ts'
import { type Config, ConfigError, readConfig, unknownVariables } from '@carillon/server/config.ts'
import { Connection } from '@carillon/server/store/sqlite/connection.ts'
import { isFolderLocked } from '@carillon/server/store/sqlite/lock.ts'
import { schemaVersion } from '@carillon/server/store/sqlite/migrate.ts'
import { movedInWords } from '@carillon/server/store/sqlite/moved.ts'
import { databaseFile } from '@carillon/server/store/sqlite/sqlite.ts'
import {
  type Finding, type Reads, checkCertificates, checkDisk, checkFiles, checkFolder, checkKeyMode, checkKeyOpens, checkPages,
  checkSchema, checkServer, checkTasks, checkTls,
} from './checks.ts'
import { examinePostgres } from './checks-postgres.ts'
import { type Command, Failed, type Typed, settingFlags } from './command.ts'
import { serverOptions, serverUrl } from './server-call.ts'

/** All there is to look at. Nothing is made or changed; what cannot be looked at is a finding too. */
const examine = async (call: Typed): Promise<Finding[]> => {
  const config = readSettings(call)
  if (Array.isArray(config)) return config
  const misspelt = unknownVariables(process.env).map((name): Finding => ({
    name: 'settings', state: 'warn', text: `${name} is not a setting of this version`, hint: 'carillon serve --help lists them',
  }))
  const findings = [
    ...(misspelt.length > 0 ? misspelt : [{ name: 'settings', state: 'ok', text: 'all can be read' } as const]),
    checkFiles(),
    checkFolder(config),
  ]
  if (config.tlsCert !== '') findings.push(checkTls(config, systemClock.now()))
  if (existsSync(config.data)) findings.push(checkDisk(config))
  if (config.databaseUrl !== '') return [...findings, ...(await examineShared(call, config))]
  if (!existsSync(config.data)) return findings
  if (!existsSync(databaseFile(config.data))) {
    return [...findings, { name: 'store', state: 'ok', text: 'none yet; the first start makes it' }]
  }
  const moved = movedInWords(config.data)
  if (moved) return [...findings, { name: 'store', state: 'wrong', ...moved }]
  return [...findings, checkKeyMode(config), ...(await examineStore(call, config))]
}

const readSettings = (call: Typed): Config | Finding[] => {
  try {
    return readConfig(settingFlags(call), process.env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const hint = 'carillon serve --help says what it takes'
    return error.problems.map((text) => ({ name: 'settings', state: 'wrong', text, hint }))
  }
}

/** A store that many nodes share. Which of them should answer here, only whoever asks knows. */
const examineShared = async (call: Typed, config: Config): Promise<Finding[]> => [
  ...(existsSync(config.keyFile) ? [checkKeyMode(config)] : []),
  ...(await examinePostgres(config, () => systemClock.now())),
  ...(call.options.url === undefined ? [] : [await checkServer(true, serverUrl(call))]),
]

const examineStore = async (call: Typed, config: Config): Promise<Finding[]> => {
  let connection: Connection | undefined
  try {
    connection = new Connection(databaseFile(config.data), { readOnly: true })
    const running = isFolderLocked(config.data)
    const now = systemClock.now()
    const looked = connection
    const store: Reads = { read: (op, args) => op(looked, args) }
    return [
      checkSchema(schemaVersion(connection.db)),
      checkPages(connection),
      await checkKeyOpens(config, store),
      await checkServer(running, running ? serverUrl(call) : ''),
      ...(await checkCertificates(store, now)),
      await checkTasks(store, running, now),
    ]
  } catch (error) {
    const hint = 'restore the newest backup into another folder, and keep this one'
    return [{ name: 'store', state: 'wrong', text: (error as Error).message, hint }]
  } finally {
    connection?.close()
  }
}

const marks = { ok: 'ok   ', warn: 'warn ', wrong: 'WRONG' } as const

export const doctorCommands: Command[] = [
  {
    name: 'doctor',
    usage: 'doctor [--url URL]',
    help: [
      'Looks at settings, data folder, key, disk, store, server, certificates and tasks, and says what is wrong and what to',
      'do about it. Changes nothing. Exit code 1 if something is wrong; warnings alone leave it 0.',
      '',
      'Where many nodes share PostgreSQL it looks at that, its clock and its room for connections, at NATS, and at which nodes',
      'are alive and what they do; a server is asked only where --url says which.',
    ].join('\n'),
    examples: [
      'carillon doctor',
      'carillon doctor --data /var/lib/carillon --json',
      'carillon doctor --url https://push.example.com',
      'carillon doctor --database-url postgres://carillon@db/carillon --nats-url nats://nats:4222',
    ],
    options: { ...serverOptions, 'database-connections': { type: 'string' }, 'nats-url': { type: 'string' } },
    takes: 0,
    runWithoutStore: async (call) => {
      const findings = await examine(call)
      const bad = findings.filter(({ state }) => state === 'wrong').length
      const lines = findings.flatMap(({ name, state, text, hint }) => [
        `${marks[state]}  ${name}: ${text}`,
        ...(hint === undefined ? [] : [`       → ${hint}`]),
      ])
      call.print({ ok: bad === 0, findings }, lines.join('\n'))
      if (bad > 0) throw new Failed(bad === 1 ? 'one thing is wrong' : `${bad} things are wrong`)
    },
  },
]
