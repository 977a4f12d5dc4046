import { after } from 'node:test'
import { newInstallation, removeInstallation, startServers } from '../../scripts/shared-servers.ts'

/** Tests run twice: on one node with the store it brings along, and on three that share PostgreSQL and NATS. */
export const isOfThree = process.env.TEST_NODES === '3'

/** One more installation to be started. */
interface Plan {
  /** What each of its nodes does. */
  parts: string[]
  /** What all of them are told. */
  shared: NodeJS.ProcessEnv
  /** Removes what they kept elsewhere than in their data folder. */
  remove(): Promise<void>
}

const onOneNode = async (): Promise<Plan> => ({ parts: ['http,gateway,worker'], shared: {}, remove: async () => {} })

const onThreeNodes = async (): Promise<() => Promise<Plan>> => {
  const { TEST_POSTGRES_URL, TEST_NATS_URL } = process.env
  const isRun = TEST_POSTGRES_URL !== undefined && TEST_NATS_URL !== undefined
  const servers = isRun ? { TEST_POSTGRES_URL, TEST_NATS_URL } : await serversOfThisFile()
  const parts = ['http,gateway', 'http,worker', 'gateway,worker']
  return async () => {
    const shared = await newInstallation(servers)
    // Those of this file alone take everything with them.
    return { parts, shared, remove: async () => (isRun ? removeInstallation(servers, shared) : undefined) }
  }
}

/** For a file that is run by itself, without scripts/test.ts. */
const serversOfThisFile = async () => {
  const { env, stop } = await startServers()
  after(stop)
  return env
}

export const planInstallation = isOfThree ? await onThreeNodes() : onOneNode
