import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { spokenName, vendorNames } from '@carillon/protocol/names.ts'
import { freePort } from '../../scripts/free-port.ts'

// Every start reads the same files: what Node made of them is kept from one to the next.
const NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE ?? join(tmpdir(), 'carillon-compile-cache')

// Nobody outside is asked: where a test starts no simulators, the vendors cannot be reached.
const noVendors = Object.fromEntries(vendorNames.map((name) => [`CARILLON_VENDOR_URL_${spokenName(name).toUpperCase()}`, 'http://127.0.0.1:1']))

/** What a user runs. */
export const command = fileURLToPath(new URL('../../cli/bin/carillon.js', import.meta.url))

export interface Envelope<D = any> {
  code: number
  data: D
  message: string | null
}

export interface Answer<D = any> extends Envelope<D> {
  status: number
  headers: Headers
}

/** What a call carries beside its path; `body` is sent as JSON unless it is text already. */
export interface CallOptions {
  method?: string
  app?: string | null
  token?: string
  group?: number | string
  user?: number | string
  headers?: Record<string, string>
  body?: unknown
}

/** What is shown of one task, as far as tests ask for it. */
export interface TaskShown {
  task_id: number
  state: string
  waiting: number
  /** Deliveries by channel and what became of them, as in `nativepush: received`. */
  reasons: Record<string, number>
  counters: Record<string, number>
}

export interface Login {
  access_key_secret: string
  encrypt_type: number
  expire: number
  public_key: string
  push_token: string
  store_token: string
  token: string
  user_id: number
}

/** Runs the command as a user would. Rejects when it fails, unless `fails` says that it may. */
export const run = async (args: string[], options: { env?: NodeJS.ProcessEnv; input?: string; fails?: boolean } = {}) => {
  const child = spawn(process.execPath, [command, ...args], { env: { ...process.env, NODE_COMPILE_CACHE, ...options.env }, stdio: 'pipe' })
  child.stdin.end(options.input ?? '')
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  if (code !== 0 && !options.fails) throw new Error(`carillon ${args.join(' ')} exited with ${code}: ${stderr}`)
  return { code: code as number, stdout, stderr }
}

/** The real program, started as a user starts it, on a data folder of its own. */
export class Carillon {
  readonly data: string
  readonly #env: NodeJS.ProcessEnv
  #ports: NodeJS.ProcessEnv | undefined
  #child: ChildProcess | undefined
  #log = ''
  http = ''
  mqtt = ''
  /** An admin token of app `demo`. */
  admin = ''
  /** All that was printed on stdout, line by line. */
  printed: string[] = []

  constructor(data: string, env: NodeJS.ProcessEnv) {
    this.data = data
    this.#env = { ...noVendors, CARILLON_HOST: '127.0.0.1', CARILLON_DATA: data, CARILLON_LOG_LEVEL: 'warn', ...env }
  }

  get port(): number {
    return Number(new URL(this.http).port)
  }

  get mqttPort(): number {
    return Number(new URL(this.mqtt).port)
  }

  /** Where MQTT over WebSocket is spoken. */
  get webSocket(): string {
    return `${this.http.replace('http', 'ws')}/mqtt`
  }

  get pid(): number {
    return this.#child!.pid!
  }

  /** What it wrote to its log. */
  get log(): string {
    return this.#log
  }

  /** Starts it, or starts it again on the same data and ports; resolves when it says that it is ready. */
  async start(more: NodeJS.ProcessEnv = {}): Promise<this> {
    this.#ports ??= { CARILLON_PORT: String(await freePort()), CARILLON_MQTT_PORT: String(await freePort()) } // its own over restarts
    const env = { ...process.env, NODE_COMPILE_CACHE, ...this.#ports, ...this.#env, ...more }
    const child = spawn(process.execPath, [command, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child = child
    child.stderr.on('data', (chunk: Buffer) => (this.#log += chunk.toString()))
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    child.once('exit', (code, signal) => reject(new Error(`the server ended (${code ?? signal}) before it was ready: ${this.#log}`)))
    createInterface({ input: child.stdout }).on('line', (line) => {
      this.printed.push(line)
      const ready = /^carillon ready (\S+) (\S+)$/.exec(line)
      if (!ready) return
      this.http = ready[1]!
      this.mqtt = ready[2]!
      resolve()
    })
    await promise
    this.admin ||= /ca_[\w-]+/.exec(this.printed.join('\n'))?.[0] ?? ''
    return this
  }

  /** SIGTERM, or another signal; resolves to how it ended. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<{ code: number | null; signal: string | null }> {
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return { code: child?.exitCode ?? null, signal: child?.signalCode ?? null }
    const ended = once(child, 'exit')
    child.kill(signal)
    const [code, by] = (await ended) as [number | null, string | null]
    return { code, signal: by }
  }

  /** The command line beside it, on the same data folder. */
  cli(args: string[], options: { input?: string; fails?: boolean } = {}) {
    return run(args, { ...options, env: this.#env })
  }

  async call<D = any>(path: string, options: CallOptions = {}): Promise<Answer<D>> {
    const { app = 'demo', token, group, user, body } = options
    const headers: Record<string, string> = { ...options.headers }
    if (app !== null) headers.app_id = app
    if (token !== undefined) headers['access-token'] = token
    if (group !== undefined) headers.group_id = String(group)
    if (user !== undefined) headers.user_id = String(user)
    if (body !== undefined) headers['content-type'] ??= 'application/json'
    const method = options.method ?? (body === undefined ? 'GET' : 'POST')
    const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    const response = await fetch(this.http + path, { method, headers, body: sent })
    return { status: response.status, headers: response.headers, ...((await response.json()) as Envelope<D>) }
  }

  /** The `data` of a call that must succeed. */
  async ok<D = any>(path: string, options: CallOptions = {}): Promise<D> {
    const answer = await this.call<D>(path, options)
    if (answer.code !== 200) throw new Error(`${path} answered ${answer.code}: ${answer.message}`)
    return answer.data
  }

  /** A user without a password; log in with `tokenFor`. Hashing a password takes a while, and most tests need none. */
  async addUser(name: string, options: { app?: string; admin?: string } = {}): Promise<number> {
    const [row] = await this.ok('/user/register/batch', { app: options.app, token: options.admin ?? this.admin, body: { list: [{ username: name }] } })
    if (!row.success) throw new Error(row.reason)
    return row.user_id
  }

  async tokenFor(userId: number, guid?: string, options: { app?: string; admin?: string } = {}): Promise<Login> {
    const body = { user_id: userId, ...(guid && { device_guid: guid }) }
    return this.ok('/token/admin', { app: options.app, token: options.admin ?? this.admin, body })
  }

  /** A new app with an admin token of its own. */
  async addApp(appId: string): Promise<string> {
    await this.cli(['app', 'create', appId])
    return (await this.cli(['token', 'create', '--app', appId])).stdout.trim()
  }

  /** Sends a notification as the admin (or whoever `options` says); resolves to the task id. */
  async notify(notify: unknown, options: CallOptions = {}): Promise<number> {
    return (await this.ok('/push/notify', { token: this.admin, ...options, body: notify })).task_id
  }

  /** The counters of one task. */
  async counters(taskId: number, options: CallOptions = {}): Promise<Record<string, number>> {
    const [row] = await this.ok('/push/task/detail', { token: this.admin, ...options, body: { list: [taskId] } })
    return row
  }

  /** All there is to say of one task. */
  async task(taskId: number, options: CallOptions = {}): Promise<TaskShown> {
    return this.ok(`/push/task/${taskId}`, { token: this.admin, ...options })
  }

  /** Why a device got it, or did not: the steps, one a line. */
  async trace(taskId: number, pushToken: string, options: CallOptions = {}): Promise<string> {
    const { steps } = await this.ok(`/push/task/${taskId}/trace?push_token=${pushToken}`, { token: this.admin, ...options })
    return steps.map((step: { text: string }) => step.text).join('\n')
  }

  /** Resolves when a device counts as online: its subscription is answered a moment before that is stored. */
  async online({ push_token, token }: Pick<Login, 'push_token' | 'token'>, options: CallOptions = {}): Promise<void> {
    const list = () => this.ok<{ push_token: string; online: boolean }[]>('/user/device/list', { ...options, token })
    await this.until(list, (devices) => devices.some((device) => device.push_token === push_token && device.online))
  }

  /** Asks again until the answer is right; a test that waits for ever is ended by its own time limit. */
  async until<V>(ask: () => Promise<V>, right: (value: V) => boolean): Promise<V> {
    for (;;) {
      const value = await ask()
      if (right(value)) return value
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}

/** Starts a server that ends with the test. */
export const startCarillon = async (t: { after(work: () => unknown): void }, env: NodeJS.ProcessEnv = {}): Promise<Carillon> => {
  const data = await mkdtemp(join(tmpdir(), 'carillon-test-'))
  const carillon = new Carillon(data, env)
  t.after(async () => {
    await carillon.stop('SIGKILL')
    await rm(data, { recursive: true, force: true })
  })
  return carillon.start()
}
