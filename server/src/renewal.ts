import type { Logger } from 'pino'
import type { Sessions } from './gateway/sessions.ts'
import type { Membership } from './membership.ts'
import type { Presence } from './presence.ts'
import { devicesElsewhere } from './store/nodes.ts'
import type { Store } from './store/store.ts'

interface Parts {
  store: Store
  log: Logger
  membership: Pick<Membership, 'node'>
  presence: Pick<Presence, 'renewed'>
  sessions: Pick<Sessions, 'numbers' | 'closeMoved' | 'wakeAll'>
  /** Looks at the inbox of a device once more, later. */
  lookAgain(deviceId: number): void
}

/**
 * What a node does about its sessions when the others took it for dead, which they were not: it goes on under a new number.
 * Devices that have connected elsewhere meanwhile were told so by nobody. The others' pushes went to their inboxes.
 */
export const takeUpSessions = async ({ store, log, membership, presence, sessions, lookAgain }: Parts, before: number): Promise<void> => {
  await presence.renewed(before)
  const { numbers } = sessions
  sessions.wakeAll()
  for (const deviceId of numbers.keys()) lookAgain(deviceId)
  try {
    const moved = await store.read(devicesElsewhere, { node: membership.node, devices: [...numbers.keys()] })
    for (const deviceId of moved) sessions.closeMoved(deviceId, numbers.get(deviceId)!)
  } catch (error) {
    log.warn({ err: error }, 'sessions of devices that are elsewhere could not be looked for; they end when they fall silent')
  }
}
