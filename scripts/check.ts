import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

// Every `check:…` script of package.json, one after the other: each of them fills the cores.
const root = join(import.meta.dirname, '..')
const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
const checks = Object.entries(manifest.scripts).filter(([name]) => name.startsWith('check:'))

const run = async (name: string, command: string): Promise<boolean> => {
  const startedAt = performance.now()
  const child = spawn(command, { cwd: root, shell: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const [said, complained, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  if (code !== 0) console.log(`\n${said}${complained}`)
  console.log(`${name.slice('check:'.length).padEnd(8)} ${code === 0 ? 'ok' : 'FAILED'} (${seconds} s)`)
  return code === 0
}

const failed: string[] = []
for (const [name, command] of checks) if (!(await run(name, command))) failed.push(name)
if (failed.length > 0) console.log(`\nfailed: ${failed.join(', ')} (npm run ${failed[0]} runs one alone)`)
process.exitCode = failed.length > 0 ? 1 : 0
