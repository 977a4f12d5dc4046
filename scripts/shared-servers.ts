import { randomUUID } from 'node:crypto'
import { startNats } from './throwaway-nats.ts'
import { query, startPostgres } from './throwaway-postgres.ts'

/** Where they are, as test processes are told by their environment. */
type Servers = { TEST_POSTGRES_URL: string; TEST_NATS_URL: string }

/** Each is a process of the server that plans every statement anew: twelve cost a test a sixth more than four. */
const CONNECTIONS = '4'

/** One PostgreSQL and one NATS for all installations of many nodes that a run of tests makes. */
export const startServers = async (): Promise<{ env: Servers; stop(): Promise<void> }> => {
  const [postgres, nats] = await Promise.all([startPostgres(), startNats()])
  return {
    env: { TEST_POSTGRES_URL: postgres.url, TEST_NATS_URL: nats.url },
    stop: async () => void (await Promise.all([postgres.stop(), nats.stop()])),
  }
}

/** The settings that the nodes of one more installation share: a database and a first word of subjects of its own. */
export const newInstallation = async ({ TEST_POSTGRES_URL, TEST_NATS_URL }: Servers): Promise<NodeJS.ProcessEnv> => {
  const name = `carillon_${randomUUID().replaceAll('-', '')}`
  await query(TEST_POSTGRES_URL, `CREATE DATABASE ${name}`)
  const url = new URL(TEST_POSTGRES_URL)
  url.pathname = name
  return {
    CARILLON_DATABASE_URL: url.href,
    CARILLON_DATABASE_CONNECTIONS: CONNECTIONS,
    CARILLON_NATS_URL: TEST_NATS_URL,
    CARILLON_NATS_PREFIX: name,
  }
}

/** Its database is gone then, whoever is still connected. */
export const removeInstallation = async ({ TEST_POSTGRES_URL }: Servers, { CARILLON_NATS_PREFIX }: NodeJS.ProcessEnv): Promise<void> => {
  await query(TEST_POSTGRES_URL, `DROP DATABASE ${CARILLON_NATS_PREFIX} WITH (FORCE)`)
}
