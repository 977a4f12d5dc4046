import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'

const checkout = fileURLToPath(new URL('../..', import.meta.url))
const pinnedNode = fileURLToPath(new URL('../../node_modules/node/bin/node', import.meta.url))
const entry = fileURLToPath(new URL('./handed-over.js', import.meta.url))

/** @type {NodeJS.Signals[]} */
const passedOn = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2', 'SIGCONT', 'SIGWINCH']

/**
 * Whether this Node runs TypeScript as it is and has argon2 in node:crypto.
 * @param {string} version
 */
export const newEnough = (version) => {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 24 || (major === 24 && minor >= 7)
}

/**
 * Runs the command on the pinned Node and ends as it ends.
 * @param {string[]} args
 */
export const handOver = (args) => {
  if (!existsSync(pinnedNode)) {
    const why = `Node ${process.versions.node} is too old and the pinned one is missing`
    console.error(`carillon: ${why}: run npm ci in ${checkout}`)
    process.exitCode = 1
    return
  }

  // A session of its own: a terminal's Ctrl-C reaches the launcher alone, so that passing it on never signals twice.
  const child = spawn(pinnedNode, [entry, ...args], { detached: true, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })

  for (const signal of passedOn) process.on(signal, () => child.kill(signal))
  // For the same reason Ctrl-Z stops only the launcher: it takes the child along.
  process.on('SIGTSTP', () => {
    child.kill('SIGSTOP')
    process.kill(process.pid, 'SIGSTOP')
  })

  child.on('error', (error) => {
    console.error(`carillon: cannot run ${pinnedNode}: ${error.message}`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    process.exitCode = signal === null ? (code ?? 1) : 128 + constants.signals[signal]
    if (signal === null) return
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}
