import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { freePort } from '../../scripts/free-port.ts'
import { NODE_COMPILE_CACHE, command, noVendors } from './command.ts'

/** How a process ended. */
export interface Ending {
  code: number | null
  signal: string | null
}

/** One process of the real program, started as a user starts it, with an environment of its own. */
export class Node {
  readonly #env: NodeJS.ProcessEnv
  #ports: NodeJS.ProcessEnv | undefined
  #child: ChildProcess | undefined
  #log = ''
  /** Its HTTP address. Health, metrics and what its other parts offer there are on every node. */
  http = ''
  /** Where it speaks MQTT; '' on a node without the gateway. */
  mqtt = ''
  /** Which doors it has named when it was ready. */
  takes = { calls: false, devices: false }
  /** All that was printed on stdout since its last start, line by line. */
  printed: string[] = []

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = { ...noVendors, CARILLON_HOST: '127.0.0.1', CARILLON_LOG_LEVEL: 'warn', ...env }
  }

  get port(): number {
    return Number(new URL(this.http).port)
  }

  get mqttPort(): number {
    return Number(new URL(this.mqtt).port)
  }

  get pid(): number {
    return this.#child!.pid!
  }

  /** What it wrote to its log. */
  get log(): string {
    return this.#log
  }

  /** Starts it, or starts it again with the same environment and ports; resolves when it says that it is ready. */
  async start(more: NodeJS.ProcessEnv = {}): Promise<this> {
    this.#ports ??= { CARILLON_PORT: String(await freePort()), CARILLON_MQTT_PORT: String(await freePort()) } // its own over restarts
    const env: NodeJS.ProcessEnv = { ...process.env, NODE_COMPILE_CACHE, ...this.#ports, ...this.#env, ...more }
    const child = spawn(process.execPath, [command, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child = child
    this.printed = []
    child.stderr.on('data', (chunk: Buffer) => (this.#log += chunk.toString()))
    const { promise, resolve, reject } = Promise.withResolvers<string[]>()
    child.once('exit', (code, signal) => reject(new Error(`the server ended (${code ?? signal}) before it was ready: ${this.#log}`)))
    createInterface({ input: child.stdout }).on('line', (line) => {
      this.printed.push(line)
      const doors = /^carillon ready(( \S+)*)$/.exec(line)?.[1]
      if (doors !== undefined) resolve(doors.split(' '))
    })
    const doors = await promise
    const [http, mqtt] = ['http', 'mqtt'].map((protocol) => doors.find((door) => door.startsWith(protocol)))
    this.takes = { calls: http !== undefined, devices: mqtt !== undefined }
    this.http = http ?? `http${env.CARILLON_TLS_CERT ? 's' : ''}://127.0.0.1:${env.CARILLON_PORT}`
    this.mqtt = mqtt ?? ''
    return this
  }

  /** SIGTERM, or another signal; resolves to how it ended. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ending> {
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return { code: child?.exitCode ?? null, signal: child?.signalCode ?? null }
    const ended = once(child, 'exit')
    child.kill(signal)
    const [code, by] = (await ended) as [number | null, string | null]
    return { code, signal: by }
  }

  /** What it counts, by name and labels as they stand in /metrics. */
  async metrics(): Promise<Map<string, number>> {
    const text = await (await fetch(`${this.http}/metrics`)).text()
    return new Map(text.matchAll(/^([^#\n].*) (\S+)$/gm).map(([, name, value]) => [name!, Number(value)]))
  }

  /** Ends it without a word to anybody, as a crash would. */
  async kill(): Promise<void> {
    await this.stop('SIGKILL')
  }
}
