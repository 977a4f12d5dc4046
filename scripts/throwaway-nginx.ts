import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { meetNeeds } from './needs.ts'

export const nginxNeed = { command: 'nginx', debian: 'nginx libnginx-mod-stream' }

/** An nginx of its own for a test, gone afterwards. */
export interface ThrowawayNginx {
  /** What it complained of. */
  readonly log: string
  stop(): Promise<void>
}

/** `configuration`: a whole nginx.conf that listens on `port`, among others. Its own files go into a temporary folder. */
export const startNginx = async (configuration: string, port: number): Promise<ThrowawayNginx> => {
  const unmet = meetNeeds('the tests', [nginxNeed])
  if (unmet !== undefined) throw new Error(unmet)
  const folder = await mkdtemp(join(tmpdir(), 'carillon-nginx-'))
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${join(folder, kind)};`)
  const file = join(folder, 'nginx.conf')
  const main = ['daemon off;', `pid ${join(folder, 'pid')};`, ...(process.getuid?.() === 0 ? ['user root;'] : [])] // root alone reads the folder
  const http = ['http {', 'access_log off;', ...temporary]
  await writeFile(file, [...main, configuration.replace('http {', http.join('\n'))].join('\n'))

  const server = spawn('nginx', ['-c', file, '-e', 'stderr'], { stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  server.stderr.setEncoding('utf8').on('data', (text: string) => (log += text))
  const ended = once(server, 'exit')
  const stop = async (): Promise<void> => {
    server.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true, force: true })
  }
  while (!(await accepts(port))) {
    if (server.exitCode !== null) throw new Error(`nginx did not start: ${log}`)
    await wait(20)
  }
  return {
    get log() {
      return log
    },
    stop,
  }
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
