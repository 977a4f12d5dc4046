import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { asClient } from './process.ts'
import type { Scratch } from './scratch.ts'

const source = fileURLToPath(new URL('../client/', import.meta.url))

/** A line of the devices' program. */
export interface Told {
  event: string
  count: number
  /** How many of them were sent again. */
  repeated: number
  seconds: number
  /** Seconds of processor time. */
  cpu: number
}

/** What a run of calls came to; latencies in milliseconds. */
export interface Called {
  answered: number
  failed: number
  /** On the clock of process.hrtime. */
  began: number
  seconds: number
  cpu: number
  p50: number
  p99: number
  p999: number
  max: number
  leastTask: number
  mostTask: number
}

export interface Calls {
  port: number
  connections: number
  path: string
  headers: Record<string, string>
  /** Sent in turn. */
  bodies: readonly string[]
  for: { requests: number } | { seconds: number } | { rate: number; seconds: number }
}

/** The measuring clients: C programs, compiled when the bench starts, because a client in Node would measure itself. */
export class Clients {
  readonly #scratch: Scratch
  readonly #programs = new Map<string, string>()

  constructor(scratch: Scratch) {
    this.#scratch = scratch
    for (const name of ['devices', 'calls', 'trivial']) {
      const program = join(scratch.folder, name)
      execFileSync('gcc', ['-O2', '-o', program, join(source, `${name}.c`)])
      this.#programs.set(name, program)
    }
  }

  program(name: string): string {
    return this.#programs.get(name)!
  }

  /** Devices for an MQTT server; without credentials for a broker that asks for none. */
  devices(port: number, topic: string, credentials: readonly [string, string][] = []): Devices {
    const lines = credentials.map((pair) => `${pair.join(' ')}\n`)
    const file = lines.length === 0 ? '-' : this.#scratch.file(lines.join(''))
    const program = asClient(this.program('devices'), [String(port), topic, file])
    const child = spawn(...program, { stdio: ['pipe', 'pipe', 'inherit'] })
    const closing = this.#scratch.onClose(() => child.kill('SIGKILL'))
    child.once('exit', () => closing.drop())
    return new Devices(child)
  }

  async call({ port, connections, path, headers, bodies, for: extent }: Calls): Promise<Called> {
    const lines = [`POST ${path} HTTP/1.1`, 'host: 127.0.0.1', 'content-type: application/json']
    for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
    const head = lines.map((line) => `${line}\r\n`).join('')
    const files = [head, bodies.join('\n')].map((content) => this.#scratch.file(content))
    const program = asClient(this.program('calls'), [port, connections, ...files, ...inWords(extent)].map(String))
    const child = spawn(...program, { stdio: ['ignore', 'pipe', 'inherit'] })
    const closing = this.#scratch.onClose(() => child.kill('SIGKILL'))
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
    closing.drop()
    for (const file of files) this.#scratch.remove(file)
    if (code !== 0) throw new Error(`the calls ended with ${code}`)
    const called = JSON.parse(output) as Called
    if (called.failed > 0) throw new Error(`${called.failed} of ${called.answered} calls of ${path} failed`)
    return called
  }
}

const inWords = (extent: Calls['for']): (string | number)[] => {
  if ('requests' in extent) return ['requests', extent.requests]
  return 'rate' in extent ? ['rate', extent.rate, extent.seconds] : ['seconds', extent.seconds]
}

/** Devices that are connected, subscribed, and acknowledge what comes. */
export class Devices {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>
  readonly #awaited = new Map<string, { resolve(told: Told): void; reject(error: Error): void }>()

  constructor(child: ChildProcessByStdio<Writable, Readable, null>) {
    this.#child = child
    createInterface({ input: child.stdout }).on('line', (line) => {
      const told = JSON.parse(line) as Told
      this.#awaited.get(told.event)?.resolve(told)
    })
    child.once('exit', (code) => {
      for (const { reject } of this.#awaited.values()) reject(new Error(`the devices ended with ${code}`))
    })
  }

  #next(event: string): Promise<Told> {
    const { promise, resolve, reject } = Promise.withResolvers<Told>()
    this.#awaited.set(event, { resolve, reject })
    return promise
  }

  /** Resolves when so many are connected and subscribed. */
  connect(count: number): Promise<Told> {
    const told = this.#next('connected')
    this.#child.stdin.write(`connect ${count}\n`)
    return told
  }

  /** Resolves when so many pushes, from now on, have come and been acknowledged. */
  expect(count: number): Promise<Told> {
    const told = this.#next('received')
    this.#child.stdin.write(`expect ${count}\n`)
    return told
  }

  /** Messages from one more connection to all that subscribe to the topic. */
  publish(topic: string, count: number, bytes: number): void {
    this.#child.stdin.write(`publish ${topic} ${count} ${bytes}\n`)
  }

  async stop(): Promise<void> {
    this.#awaited.clear()
    if (this.#child.exitCode !== null) return
    const exit = once(this.#child, 'exit')
    this.#child.stdin.end()
    await exit
  }
}
