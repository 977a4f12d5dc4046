import { type ThrowawayNats, startNats } from '../../scripts/throwaway-nats.ts'
import { type ThrowawayPostgres, query, startPostgres } from '../../scripts/throwaway-postgres.ts'
import { Cluster, Member } from '../../test/harness/cluster.ts'
import { run } from '../../test/harness/command.ts'
import { type Started, settings } from './carillon.ts'
import type { Crowd } from './crowd.ts'
import { asInProduction } from './postgres.ts'
import type { Scratch } from './scratch.ts'

const EVERYTHING = 'http,gateway,worker'

/** What nodes share: a PostgreSQL and a NATS, on this machine too. */
export class Shared {
  readonly #scratch: Scratch
  readonly #postgres: ThrowawayPostgres
  readonly #nats: ThrowawayNats

  private constructor(scratch: Scratch, postgres: ThrowawayPostgres, nats: ThrowawayNats) {
    this.#scratch = scratch
    this.#postgres = postgres
    this.#nats = nats
  }

  /** Runs with servers that are gone afterwards. */
  static async with<R>(scratch: Scratch, work: (shared: Shared) => Promise<R>): Promise<R> {
    const [postgres, nats] = await Promise.all([startPostgres(asInProduction), startNats()])
    try {
      return await work(new Shared(scratch, postgres, nats))
    } finally {
      await Promise.all([postgres.stop(), nats.stop()])
    }
  }

  emptyDatabase(): Promise<string> {
    return this.#postgres.database()
  }

  async drop(database: string): Promise<void> {
    await query(this.#postgres.url, `DROP DATABASE ${new URL(database).pathname.slice(1)} WITH (FORCE)`)
  }

  /** A prepared folder moved to a database; to be copied, not written to. */
  async moved({ data, ...crowd }: Crowd): Promise<Crowd & { database: string }> {
    const [copy, database] = [this.#scratch.copyOf(data), await this.emptyDatabase()]
    await run(['migrate', '--to', database], { env: { CARILLON_DATA: copy } })
    await query(database, 'VACUUM ANALYZE')
    return { ...crowd, data: copy, database }
  }

  /** So many nodes, each of which does everything, on a copy of a moved crowd that goes with them. */
  async start({ data, admin, database }: Crowd & { database: string }, count: number): Promise<Started> {
    const copy = await this.#postgres.database(database)
    const env = { ...settings, CARILLON_DATA: data, CARILLON_DATABASE_URL: copy, CARILLON_NATS_URL: this.#nats.url }
    const members = Array.from({ length: count }, () => new Member(EVERYTHING, env))
    const cluster = new Cluster({ postgres: this.#postgres, nats: this.#nats, members })
    cluster.admin = admin
    const closings = members.map((member) => this.#scratch.onClose(() => member.kill()))
    await Promise.all(members.map((member) => member.start()))
    const stop = async (): Promise<void> => {
      await Promise.all(members.map(({ node }) => node.stop()))
      for (const closing of closings) closing.drop()
      await this.drop(copy)
    }
    return { carillon: cluster, stop }
  }
}
