import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** What the bench uses beside npm packages: a command, and the Debian package that brings it. */
const needs = [
  { command: 'gcc', debian: 'gcc libc6-dev' },
  { command: 'mosquitto', debian: 'mosquitto' },
  { command: 'taskset', debian: 'util-linux' },
]

// Debian keeps daemons out of a user's path.
process.env.PATH = [process.env.PATH, '/usr/sbin'].join(delimiter)

const isThere = (command: string): boolean =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK)
      return true
    } catch {
      return false
    }
  })

/** Installs what is missing where it may; returns one sentence on what stands in the way, if anything does. */
export const meetNeeds = (): string | undefined => {
  const wanted = needs.filter(({ command }) => !isThere(command)).flatMap(({ debian }) => debian.split(' '))
  if (wanted.length === 0) return undefined
  const sentence = `the bench needs ${wanted.join(' ')}: install it and run it again`
  if (process.getuid?.() !== 0 || !isThere('apt-get')) return sentence
  const apt = (...args: string[]): void => {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    spawnSync('apt-get', ['-q', ...args], { env, stdio: 'inherit' })
  }
  apt('update')
  apt('install', '-y', '--no-install-recommends', ...wanted)
  return needs.every(({ command }) => isThere(command)) ? undefined : sentence
}
