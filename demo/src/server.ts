import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const command = fileURLToPath(new URL('../../cli/bin/carillon.js', import.meta.url))
/** The same command for a child that must not outlive its parent: it ends when the channel between them closes. */
const childCommand = fileURLToPath(new URL('../../cli/bin/handed-over.js', import.meta.url))

/** A line of the server's log that somebody should read. */
export interface LogLine {
  level: string
  text: string
}

/** The server, started as a user starts it, on one data folder; it can be stopped and started again. */
export class Server {
  readonly #env: NodeJS.ProcessEnv
  readonly #onLog: (line: LogLine) => void
  #child: ChildProcess | undefined
  #stopping = false
  url: string
  mqttUrl = ''
  /** The admin token that the first start on an empty folder prints. */
  firstToken: string | undefined

  constructor({ data, port, onLog }: { data: string; port: number; onLog(line: LogLine): void }) {
    this.url = `http://127.0.0.1:${port}`
    this.#env = {
      ...process.env,
      CARILLON_HOST: '127.0.0.1', CARILLON_PORT: String(port), CARILLON_MQTT_PORT: '0', CARILLON_DATA: data,
      CARILLON_PUBLIC_URL: this.url, CARILLON_LOG_LEVEL: 'warn',
    }
    this.#onLog = onLog
  }

  /** Resolves when it is ready. A server that ends by itself later on is told by `onEnd`. */
  async start(more: NodeJS.ProcessEnv = {}, onEnd: (why: Error) => void = () => {}): Promise<void> {
    // In a session of its own: Ctrl-C is for us, and we stop it when it is its turn.
    const child = spawn(process.execPath, [childCommand, 'serve'], {
      env: { ...this.#env, ...more }, detached: true, stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    this.#child = child
    this.#stopping = false
    let complaint = ''
    createInterface({ input: child.stderr! }).on('line', (line) => {
      complaint = line
      this.#onLog(readLog(line))
    })
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    child.once('close', () => {
      const why = new Error(`the server ended: ${complaint}`)
      reject(why)
      if (!this.#stopping) onEnd(why)
    })
    createInterface({ input: child.stdout! }).on('line', (line) => {
      this.firstToken ??= /\bca_[\w-]+/.exec(line)?.[0]
      const ready = /^carillon ready \S+ (\S+)$/.exec(line)
      if (!ready) return
      this.mqttUrl = ready[1]!
      resolve()
    })
    await promise
  }

  async stop(): Promise<void> {
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    this.#stopping = true
    const ended = once(child, 'close')
    child.kill('SIGTERM')
    await ended
  }

  /** The command line beside it; resolves to what it prints. */
  async run(args: string[], input = ''): Promise<string> {
    const child = spawn(process.execPath, [command, ...args], { env: this.#env, stdio: 'pipe' })
    child.stdin.on('error', () => {}) // one that ended before it had read all of it says why itself
    child.stdin.end(input)
    const [printed, complained, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    if (code !== 0) throw new Error(complained.trim())
    return printed.trim()
  }
}

const readLog = (line: string): LogLine => {
  try {
    const { level, msg, vendor, why } = JSON.parse(line) as Record<string, string | undefined>
    return { level: level ?? '', text: [vendor && `${vendor}: `, msg, why && why !== msg && ` (${why})`].filter(Boolean).join('') }
  } catch {
    return { level: 'error', text: line }
  }
}
