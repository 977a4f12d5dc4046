import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ThrowawayNats, startNats } from '../../scripts/throwaway-nats.ts'
import { type ThrowawayPostgres, startPostgres } from '../../scripts/throwaway-postgres.ts'
import { Api } from './api.ts'
import { Node } from './node.ts'

/** One node of a cluster, called by itself. */
export class Member extends Api {
  readonly node: Node
  readonly parts: readonly string[]

  constructor(parts: string, env: NodeJS.ProcessEnv) {
    super()
    this.parts = parts.split(',')
    this.node = new Node({ ...env, CARILLON_PARTS: parts })
  }

  get http(): string {
    return this.node.http
  }

  get mqtt(): string {
    return this.node.mqtt
  }

  /** Where MQTT over WebSocket is spoken. */
  get webSocket(): string {
    return `${this.http.replace('http', 'ws')}/mqtt`
  }

  get log(): string {
    return this.node.log
  }

  start(): Promise<Node> {
    return this.node.start()
  }

  /** Ends it without a word to anybody. */
  kill(): Promise<void> {
    return this.node.kill()
  }

  /** It keeps its connections and says nothing, until it is thawed. */
  freeze(): void {
    process.kill(this.node.pid, 'SIGSTOP')
  }

  thaw(): void {
    process.kill(this.node.pid, 'SIGCONT')
  }

  protected addressFor(): string {
    return this.http
  }
}

/** Nodes of one installation, on a PostgreSQL and a NATS of their own, all of which can be broken. */
export class Cluster extends Api {
  readonly postgres: ThrowawayPostgres
  readonly nats: ThrowawayNats
  readonly members: readonly Member[]
  #turn = 0

  constructor(parts: { postgres: ThrowawayPostgres; nats: ThrowawayNats; members: readonly Member[] }) {
    super()
    this.postgres = parts.postgres
    this.nats = parts.nats
    this.members = parts.members
  }

  /** Those that do this, in the order in which they were asked for. */
  having(part: string): Member[] {
    return this.members.filter(({ parts }) => parts.includes(part))
  }

  get nodes(): readonly Node[] {
    return this.members.map(({ node }) => node)
  }

  /** What all of them wrote to their logs. */
  get log(): string {
    return this.members.map(({ log }) => log).join('')
  }

  /** Calls go to the http nodes in turn. */
  protected addressFor(): string {
    const nodes = this.having('http')
    this.#turn = (this.#turn + 1) % nodes.length
    return nodes[this.#turn]!.http
  }
}

interface ClusterOptions {
  env?: NodeJS.ProcessEnv
  /** What is different at single nodes, by their place. */
  envOf?: (place: number, nats: ThrowawayNats) => Promise<NodeJS.ProcessEnv>
}

/** Starts a node for each of these lists of parts; all of it ends with the test. */
export const startCluster = async (
  t: { after(work: () => unknown): void },
  parts: readonly string[],
  { env = {}, envOf = async () => ({}) }: ClusterOptions = {},
): Promise<Cluster> => {
  const [postgres, nats, data] = await Promise.all([startPostgres(), startNats(), mkdtemp(join(tmpdir(), 'carillon-test-'))])
  const database = await postgres.database()
  const shared = { CARILLON_DATA: data, CARILLON_DATABASE_URL: database, CARILLON_NATS_URL: nats.url, ...env }
  const members = await Promise.all(parts.map(async (list, place) => new Member(list, { ...shared, ...(await envOf(place, nats)) })))
  const cluster = new Cluster({ postgres, nats, members })
  t.after(async () => {
    await Promise.all(members.map((member) => member.kill()))
    await Promise.all([postgres.stop(), nats.stop(), rm(data, { recursive: true, force: true })])
  })
  await Promise.all(members.map((member) => member.start()))
  const admin = /ca_[\w-]+/.exec(members.flatMap(({ node }) => node.printed).join('\n'))![0]
  for (const api of [cluster, ...members]) api.admin = admin
  return cluster
}
