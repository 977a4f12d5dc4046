import { glob, mkdtemp, rm, stat } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { meetNeeds } from './needs.ts'
import { endAll, runFile } from './test-file.ts'
import { natsNeed } from './throwaway-nats.ts'
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
  options: { minutes: { type: 'string', default: '2' } }, // for one file
})

process.chdir(join(import.meta.dirname, '..'))

const filesOf = async (pattern: string): Promise<string[]> => {
  const isFolder = (await stat(pattern).catch(() => undefined))?.isDirectory() ?? false
  const files = isFolder ? join(pattern, '**/*.test.ts') : pattern
  const found = await Array.fromAsync(glob(files, { exclude: ['**/node_modules'] }))
  if (found.length === 0) console.log(`no test file matches ${pattern}`)
  return found.sort()
}

const isProof = (file: string): boolean => file.startsWith(join('test', 'proof'))
const named = (await Promise.all(positionals.map(filesOf))).flat()
const files =
  positionals.length > 0
    ? [...new Set(named)]
    : (await filesOf('{protocol,server,cli,sdk,simulators,demo,scripts,test,bench}/**/*.test.ts')).filter((file) => !isProof(file))

const finish = (passed: number, failed: number): never => {
  console.log(`${passed} passed, ${failed} failed`)
  process.exit(failed > 0 || passed === 0 ? 1 : 0)
}

// Only promises about the whole, and about the store of many nodes, talk to programs from outside npm.
const unmet = meetNeeds('the tests', [
  ...(files.some((file) => file.startsWith('test/')) ? needs : []),
  ...(files.some((file) => file.includes('postgres')) ? [postgresNeed] : []),
  ...(files.some((file) => file.includes('nats')) ? [natsNeed] : []),
])
if (unmet !== undefined) {
  console.log(unmet)
  finish(0, 1)
}

const scratch = await mkdtemp(join(tmpdir(), 'carillon-test-'))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    endAll()
    process.exit(1)
  })

let [passed, failed] = [0, 0]
const queue = files.values()
const worker = async (): Promise<void> => {
  for (const file of queue) {
    const startedAt = performance.now()
    const result = await runFile(file, scratch, Number(values.minutes) * 60_000)
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    // A skipped test is a promise nobody kept: where nobody is looking, it fails.
    const broken = result.failed + (process.env.CI === 'true' ? result.left : 0)
    if (broken > 0) console.log(`\n${result.output}`)
    const left = result.left > 0 ? `, ${result.left} skipped or to do` : ''
    console.log(`${broken > 0 ? '✖' : '✔'} ${file}: ${result.passed} passed, ${broken} failed${left} (${seconds} s)`)
    passed += result.passed
    failed += broken
  }
}
await Promise.all(Array.from({ length: availableParallelism() }, worker))
await rm(scratch, { recursive: true, force: true })
finish(passed, failed)
