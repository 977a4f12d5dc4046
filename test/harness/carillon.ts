import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Api, type CallOptions } from './api.ts'
import { noVendors, run } from './command.ts'
import { planInstallation } from './installation.ts'
import { type Ending, Node } from './node.ts'

export type { Answer, CallOptions, Envelope, Login } from './api.ts'

interface Planned {
  settings: NodeJS.ProcessEnv
  nodes: Node[]
  remove(): Promise<void>
}

/** An installation of the real program, of one node or of three, on a data folder of its own. */
export class Carillon extends Api {
  readonly data: string
  readonly #env: NodeJS.ProcessEnv
  #planned: Promise<Planned> | undefined
  #turns = { calls: 0, devices: 0 }
  /** Once it was started. The first one answers calls and holds devices' connections, whatever the others do. */
  nodes: readonly Node[] = []

  /** `env`: for all nodes, but for the ports of the doors, which are the first one's. */
  constructor(data: string, env: NodeJS.ProcessEnv) {
    super()
    this.data = data
    this.#env = env
  }

  /** Where a node answers calls and holds devices' streams. */
  get http(): string {
    return this.nodes[0]!.http
  }

  get port(): number {
    return this.nodes[0]!.port
  }

  get pid(): number {
    return this.nodes[0]!.pid
  }

  /** Where MQTT is spoken: at another gateway each time. */
  get mqtt(): string {
    return this.#inTurn('devices').mqtt
  }

  get mqttPort(): number {
    return Number(new URL(this.mqtt).port)
  }

  /** Where MQTT over WebSocket is spoken. */
  get webSocket(): string {
    return `${this.http.replace('http', 'ws')}/mqtt`
  }

  /** What the nodes wrote to their logs. */
  get log(): string {
    return this.nodes.map(({ log }) => log).join('')
  }

  /** All that was printed on stdout since the last start, line by line, node by node. */
  get printed(): string[] {
    return this.nodes.flatMap(({ printed }) => printed)
  }

  /** Starts it, or starts it again on the same data and ports; resolves when every node says that it is ready. */
  async start(more: NodeJS.ProcessEnv = {}): Promise<this> {
    this.nodes = (await this.#plan()).nodes
    await Promise.all(this.nodes.map((node) => node.start(more)))
    this.admin ||= /ca_[\w-]+/.exec(this.printed.join('\n'))?.[0] ?? ''
    return this
  }

  /** SIGTERM, or another signal, to every node; resolves to how they ended, or how the one did that ended otherwise. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ending> {
    const endings = await Promise.all(this.nodes.map((node) => node.stop(signal)))
    return endings.find(({ code }) => code !== 0) ?? { code: 0, signal: null }
  }

  /** Sends every node a signal that it does not end by. */
  signal(signal: NodeJS.Signals): void {
    for (const { pid } of this.nodes) process.kill(pid, signal)
  }

  /** The command line beside it, on the same store. */
  async cli(args: string[], options: { input?: string; fails?: boolean } = {}) {
    return run(args, { ...options, env: await this.settings() })
  }

  /** What its nodes and the command line beside it are told by their environment. */
  async settings(): Promise<NodeJS.ProcessEnv> {
    return (await this.#plan()).settings
  }

  /** Ends it without a word to anybody, and removes what it kept. */
  async remove(): Promise<void> {
    await this.stop('SIGKILL')
    await (await this.#planned)?.remove()
    await rm(this.data, { recursive: true, force: true })
  }

  #plan(): Promise<Planned> {
    this.#planned ??= planInstallation().then(({ parts, shared, remove }) => {
      const { CARILLON_PORT, CARILLON_MQTT_PORT, ...env } = this.#env
      const settings = { ...noVendors, CARILLON_DATA: this.data, ...shared, ...env }
      const ports = { ...(CARILLON_PORT && { CARILLON_PORT }), ...(CARILLON_MQTT_PORT && { CARILLON_MQTT_PORT }) }
      const nodes = parts.map((part, i) => new Node({ ...settings, CARILLON_PARTS: part, ...(i === 0 && ports) }))
      return { settings, nodes, remove }
    })
    return this.#planned
  }

  /** A node that does it: another one each time. */
  #inTurn(what: 'calls' | 'devices'): Node {
    const able = this.nodes.filter(({ takes }) => takes[what])
    return able[this.#turns[what]++ % able.length]!
  }

  /** A new app with an admin token of its own. */
  async addApp(appId: string): Promise<string> {
    await this.cli(['app', 'create', appId])
    return (await this.cli(['token', 'create', '--app', appId])).stdout.trim()
  }

  /** Resolves when every node goes by all that calls have changed so far; without it that takes up to a second. */
  async heard(): Promise<void> {
    await this.#heardFrom(Math.max(...(await this.#newestHeard())))
  }

  /** Runs a command that changes something, and resolves when every node goes by it: none of them was asked, so none knows it sooner than the others. */
  async change(args: string[]): Promise<void> {
    const before = Math.max(...(await this.#newestHeard()))
    await this.cli(args)
    await this.#heardFrom(before + 1)
  }

  /** The number of the newest change that each node goes by. */
  #newestHeard(): Promise<number[]> {
    return Promise.all(this.nodes.map(async (node) => (await node.metrics()).get('carillon_changes_heard')!))
  }

  async #heardFrom(wanted: number): Promise<void> {
    await this.until(() => this.#newestHeard(), (heard) => heard.every((number) => number >= wanted))
  }

  /** Changes settings of an app, on every node. */
  async setApp(change: Record<string, unknown>, options: CallOptions = {}): Promise<void> {
    await this.ok('/app/setting', { token: this.admin, ...options, method: 'PUT', body: change })
    await this.heard()
  }

  /** What the nodes count, added up, by name and labels as they stand in /metrics. */
  async metrics(): Promise<Map<string, number>> {
    const sums = new Map<string, number>()
    for (const node of this.nodes) for (const [name, value] of await node.metrics()) sums.set(name, (sums.get(name) ?? 0) + value)
    return sums
  }

  protected addressFor(path: string): string {
    return this.#inTurn(path.startsWith('/push/stream') ? 'devices' : 'calls').http
  }
}

/** Starts a server that ends with the test. */
export const startCarillon = async (t: { after(work: () => unknown): void }, env: NodeJS.ProcessEnv = {}): Promise<Carillon> => {
  const data = await mkdtemp(join(tmpdir(), 'carillon-test-'))
  const carillon = new Carillon(data, env)
  t.after(() => carillon.remove())
  return carillon.start()
}
