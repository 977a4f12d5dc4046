import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { spokenName, vendorNames } from '@carillon/protocol/names.ts'

/** Every start reads the same files: what Node made of them is kept from one to the next. */
export const NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE ?? join(tmpdir(), 'carillon-compile-cache')

/** Nobody outside is asked: where a test starts no simulators, the vendors cannot be reached. */
export const noVendors: NodeJS.ProcessEnv = Object.fromEntries(
  vendorNames.map((name) => [`CARILLON_VENDOR_URL_${spokenName(name).toUpperCase()}`, 'http://127.0.0.1:1']),
)

/** What a user runs. */
export const command = fileURLToPath(new URL('../../cli/bin/carillon.js', import.meta.url))

/** Runs the command as a user would. Rejects when it fails, unless `fails` says that it may. */
export const run = async (args: string[], options: { env?: NodeJS.ProcessEnv; input?: string; fails?: boolean } = {}) => {
  const child = spawn(process.execPath, [command, ...args], { env: { ...process.env, NODE_COMPILE_CACHE, ...options.env }, stdio: 'pipe' })
  child.stdin.end(options.input ?? '')
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  if (code !== 0 && !options.fails) throw new Error(`carillon ${args.join(' ')} exited with ${code}: ${stderr}`)
  return { code: code as number, stdout, stderr }
}
