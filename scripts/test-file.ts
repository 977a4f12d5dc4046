import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Result {
  passed: number
  failed: number
  /** Skipped, or marked as still to be done. */
  left: number
  /** All it said, and why it failed if that is not a test's own failure. */
  output: string
}

// Every file reads many of the same modules: what Node made of them is kept. Measured: a file that does nothing takes 0.14 s
// of processor time instead of 0.34, one that opens many stores 3.5 s instead of 6.3.
const NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE ?? join(tmpdir(), 'carillon-compile-cache')

const running = new Set<number>()

/** Each file leads a process group, so that what it started ends with it. */
const endGroup = (leader: number): void => {
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // Nobody of the group is left.
  }
}

export const endAll = (): void => running.forEach(endGroup)

/** One run of one file. */
export interface Run {
  file: string
  /** What tells it from other runs of the same file; '' where there is only one. */
  kind: string
  /** What its process is told beside what this one was. */
  env: NodeJS.ProcessEnv
}

/** As people read it. */
export const nameOf = ({ file, kind }: Run): string => (kind === '' ? file : `${file} (${kind})`)

/** Runs a test file in a process of its own; one that does not end within the limit is ended and has failed. */
export const runFile = async ({ file, kind, env }: Run, scratch: string, limitMs: number): Promise<Result> => {
  const name = `${file} ${kind}`.replaceAll(/\W/g, '-')
  const [said, marked] = [join(scratch, `${name}.out`), join(scratch, `${name}.marks`)]
  // Not a pipe: a process left behind would keep that open and the runner waiting.
  const output = await open(said, 'w')
  const reporters = [
    ['spec', 'stdout'],
    [join(import.meta.dirname, 'marks.ts'), marked],
  ].flatMap(([reporter, destination]) => [`--test-reporter=${reporter}`, `--test-reporter-destination=${destination}`])
  const child = spawn(process.execPath, [...reporters, file], {
    detached: true,
    env: { ...process.env, NODE_COMPILE_CACHE, ...env },
    stdio: ['ignore', output.fd, output.fd],
  })
  const leader = child.pid!
  running.add(leader)
  let late = false
  const limit = setTimeout(() => {
    late = true
    endGroup(leader)
  }, limitMs)
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  clearTimeout(limit)
  endGroup(leader)
  running.delete(leader)
  await output.close()

  const marks = await readFile(marked, 'utf8').catch(() => '')
  const count = (letters: RegExp): number => marks.match(letters)?.length ?? 0
  const [passed, failed, left] = [count(/p/g), count(/f/g), count(/[st]/g)]
  const text = await readFile(said, 'utf8')
  const why = late
    ? `did not end within ${limitMs / 1000} s`
    : code !== 0 && failed === 0
      ? `ended with ${signal ?? `exit code ${code}`}`
      : marks === ''
        ? 'holds no test'
        : undefined
  if (why === undefined) return { passed, failed, left, output: text }
  return { passed, failed: failed + 1, left, output: `${text}\n${nameOf({ file, kind, env })} ${why}\n` }
}
