import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Bench } from './job.ts'

const kept = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'carillon-bench')
const flags = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']

/**
 * The folder of a package that is measured against and is too large to depend on: installed once, kept between runs.
 * Undefined, and said, when it cannot be installed.
 */
export const outsidePackage = async (
  { scratch, say }: Pick<Bench, 'scratch' | 'say'>,
  name: string,
  version: string,
): Promise<string | undefined> => {
  const place = join(kept, `${name}-${version}`)
  if (existsSync(place)) return place
  say(`  installing ${name} ${version} in ${place}`)
  try {
    mkdirSync(kept, { recursive: true })
    // Beside its place, then moved: what is in its place is whole.
    const folder = mkdtempSync(join(kept, 'installing-'))
    scratch.onClose(() => scratch.remove(folder))
    await promisify(execFile)('npm', ['install', ...flags, '--prefix', folder, `${name}@${version}`], { cwd: folder })
    renameSync(folder, place)
    return place
  } catch (error) {
    const { message, stderr } = error as Error & { stderr?: string }
    const [why] = (stderr || message).split('\n', 1)
    say(`  without ${name} ${version}, which could not be installed: ${why}`)
    return undefined
  }
}
