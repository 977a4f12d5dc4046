import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { meetNeeds } from './needs.ts'

export const natsNeed = { command: 'nats-server', debian: 'nats-server' }

/** A NATS of its own for a test, on a free port, gone afterwards. It keeps nothing, so a restart is also a wipe. */
export interface ThrowawayNats {
  url: string
  port: number
  /** Ends it without a word to anybody. */
  kill(): Promise<void>
  /** Starts it again on the same port. */
  restart(): Promise<void>
  /** It keeps its port and its connections and says nothing, until it is thawed. */
  freeze(): void
  thaw(): void
  stop(): Promise<void>
}

/** `flags`: nats-server's own, for those who want passwords or TLS. */
export const startNats = async (flags: readonly string[] = []): Promise<ThrowawayNats> => {
  const unmet = meetNeeds('the tests', [natsNeed])
  if (unmet !== undefined) throw new Error(unmet)

  let server: ChildProcess
  /** -1: any free one. */
  const start = async (port: number): Promise<number> => {
    server = spawn('nats-server', ['-a', '127.0.0.1', '-p', String(port), ...flags], { stdio: ['ignore', 'ignore', 'pipe'] })
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    let said = ''
    server.stderr!.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-10_000)
      const bound = /Listening for client connections on [^\n]*:(\d+)\n/.exec(said)?.[1]
      if (bound !== undefined && said.includes('Server is ready')) resolve(Number(bound))
    })
    server.once('error', reject)
    server.once('exit', () => reject(new Error(`nats-server did not start: ${said}`)))
    return promise
  }
  const kill = async (): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    server.kill('SIGKILL')
    await ended
  }
  const port = await start(-1)
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    kill,
    restart: async () => void (await start(port)),
    freeze: () => void server.kill('SIGSTOP'),
    thaw: () => void server.kill('SIGCONT'),
    stop: kill,
  }
}
