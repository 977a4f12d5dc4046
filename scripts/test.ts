import { glob, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bundle } from './bundle.ts'
import { meetNeeds } from './needs.ts'
import { startServers } from './shared-servers.ts'
import { type Run, endAll, nameOf, runFile } from './test-file.ts'
import { natsNeed } from './throwaway-nats.ts'
import { nginxNeed } from './throwaway-nginx.ts'
import { postgresNeed } from './throwaway-postgres.ts'

/** What the tests talk to or through. */
const needs = [
  { command: 'mosquitto_sub', debian: 'mosquitto-clients' },
  { command: 'chromium', debian: 'chromium' },
  { command: 'curl', debian: 'curl' },
  { command: 'openssl', debian: 'openssl' },
]

/** npm test [-- file, folder or glob …]: everything but the long proofs, or what is named. */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '4' }, // for one file
    beside: { type: 'string', default: String(availableParallelism() + 1) }, // files at once; more than cores, because they wait a lot
    nodes: { type: 'string', multiple: true, default: ['1', '3'] }, // of installations: one kind alone
  },
})

process.chdir(join(import.meta.dirname, '..'))

const filesOf = async (pattern: string): Promise<string[]> => {
  const isFolder = (await stat(pattern).catch(() => undefined))?.isDirectory() ?? false
  const files = isFolder ? join(pattern, '**/*.test.ts') : pattern
  const found = await Array.fromAsync(glob(files, { exclude: ['**/node_modules'] }))
  if (found.length === 0) console.log(`no test file matches ${pattern}`)
  return found.sort()
}

const isAboutTheWhole = (file: string): boolean => file.startsWith('test/')
const isProof = (file: string): boolean => file.startsWith(join('test', 'proof'))
const named = (await Promise.all(positionals.map(filesOf))).flat()
const files =
  positionals.length > 0
    ? [...new Set(named)]
    : (await filesOf('{protocol,server,cli,sdk,console,simulators,demo,scripts,test,bench}/**/*.test.ts')).filter((file) => !isProof(file))

const finish = (passed: number, failed: number): never => {
  console.log(`${passed} passed, ${failed} failed`)
  process.exit(failed > 0 || passed === 0 ? 1 : 0)
}

/** Every kind of installation keeps the promises about the whole; a file that is run once says why on its first line. */
const kinds: Record<string, string> = { 1: 'one node', 3: 'three nodes' }
const runsOf = async (file: string): Promise<Run[]> => {
  const isOnce = !isAboutTheWhole(file) || (await readFile(file, 'utf8')).startsWith('// Once: ')
  if (isOnce) return [{ file, kind: '', env: { TEST_NODES: '1' } }]
  return Object.entries(kinds)
    .filter(([nodes]) => values.nodes.includes(nodes))
    .map(([nodes, kind]) => ({ file, kind, env: { TEST_NODES: nodes } }))
}
const runs = (await Promise.all(files.map(runsOf))).flat()
const hasMany = runs.some(({ env }) => env.TEST_NODES === '3')

// Only promises about the whole, and about the store of many nodes, talk to programs from outside npm.
const unmet = meetNeeds('the tests', [
  ...(files.some(isAboutTheWhole) ? needs : []),
  ...(hasMany || files.some((file) => file.includes('postgres')) ? [postgresNeed] : []),
  ...(hasMany || files.some((file) => file.includes('nats')) ? [natsNeed] : []),
  ...(files.some((file) => file.includes('deploy')) ? [nginxNeed, { command: 'systemd-analyze', debian: 'systemd' }] : []),
])
if (unmet !== undefined) {
  console.log(unmet)
  finish(0, 1)
}

// What users run is what is tested.
await bundle()

const scratch = await mkdtemp(join(tmpdir(), 'carillon-test-'))
const servers = hasMany ? await startServers() : undefined
Object.assign(process.env, servers?.env)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    endAll()
    void (servers?.stop() ?? Promise.resolve()).finally(() => process.exit(1))
  })

let [passed, failed] = [0, 0]
const queue = runs.values()
const worker = async (): Promise<void> => {
  for (const run of queue) {
    const startedAt = performance.now()
    const result = await runFile(run, scratch, Number(values.minutes) * 60_000)
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    // A skipped test is a promise nobody kept: where nobody is looking, it fails.
    const broken = result.failed + (process.env.CI === 'true' ? result.left : 0)
    if (broken > 0) console.log(`\n${result.output}`)
    const left = result.left > 0 ? `, ${result.left} skipped or to do` : ''
    console.log(`${broken > 0 ? '✖' : '✔'} ${nameOf(run)}: ${result.passed} passed, ${broken} failed${left} (${seconds} s)`)
    passed += result.passed
    failed += broken
  }
}
await Promise.all(Array.from({ length: Number(values.beside) }, worker))
await servers?.stop()
await rm(scratch, { recursive: true, force: true })
finish(passed, failed)
