import { after } from 'node:test'
import { newInstallation, removeInstallation, startServers } from '../../scripts/shared-servers.ts'

/** Tests run twice: on one node with the store it brings along, and on three that share PostgreSQL and NATS. */
export const isOfThree = process.env.TEST_NODES === '3'

const { TEST_POSTGRES_URL, TEST_NATS_URL } = process.env
const serversOfTheRun = TEST_POSTGRES_URL && TEST_NATS_URL ? { TEST_POSTGRES_URL, TEST_NATS_URL } : undefined

/** A file that is run alone has its own. */
const serversOfThisFile = async () => {
  const { env, stop } = await startServers()
  after(stop)
  return env
}
const servers = isOfThree ? (serversOfTheRun ?? (await serversOfThisFile())) : undefined

/** What each node of one more installation does, the settings that all of them share, and how to remove what it keeps. */
export const planInstallation = async (): Promise<{ parts: string[]; shared: NodeJS.ProcessEnv; remove(): Promise<void> }> => {
  if (servers === undefined) return { parts: ['http,gateway,worker'], shared: {}, remove: async () => {} }
  const shared = await newInstallation(servers)
  return { parts: ['http,gateway', 'http,worker', 'gateway,worker'], shared, remove: () => removeInstallation(servers, shared) }
}
