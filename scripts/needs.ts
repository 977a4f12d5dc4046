import { spawnSync } from 'node:child_process'
import { accessSync, closeSync, constants, mkdtempSync, openSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

/** A command or a file that is needed beside npm packages, and the Debian packages that bring it. */
export type Need = { debian: string } & ({ command: string } | { file: string })

const isOn = (path: string, mode: number): boolean => {
  try {
    accessSync(path, mode)
    return true
  } catch {
    return false
  }
}

const hasCommand = (command: string): boolean =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => isOn(join(folder, command), constants.X_OK))

const isMet = (need: Need): boolean => ('file' in need ? isOn(need.file, constants.R_OK) : hasCommand(need.command))

/** Brings onto the machine what is missing; returns one sentence on what stands in the way, if anything does. */
export const meetNeeds = (who: string, needs: readonly Need[]): string | undefined => {
  const missing = needs.filter((need) => !isMet(need)).flatMap(({ debian }) => debian.split(' '))
  if (missing.length === 0) return undefined
  const wanted = missing.join(' ')
  if (process.getuid?.() !== 0 || !hasCommand('apt-get')) return `${who} need ${wanted}: install it and run them again`

  console.log(`installing ${wanted}`)
  const log = join(mkdtempSync(join(tmpdir(), 'carillon-needs-')), 'apt.log')
  const output = openSync(log, 'a')
  const apt = (...args: string[]): boolean =>
    spawnSync('apt-get', ['-q', ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: ['ignore', output, output],
    }).status === 0
  // A stale package list may still do; whether it did is what the installation shows.
  apt('update')
  const installed = apt('install', '-y', '--no-install-recommends', ...missing)
  closeSync(output)
  if (installed && needs.every(isMet)) return undefined
  return `${readFileSync(log, 'utf8')}\ncould not install ${wanted}`
}
