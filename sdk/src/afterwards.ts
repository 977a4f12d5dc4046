import type { Ending } from './session.ts'

/**
 * refused     the server does not know these credentials, or not any more: log in again
 * signed out  the user was signed out, or the device was removed or changed hands: log in again
 * taken over  another connection of the same device is online: let it be
 * closed      the app said so
 */
export type StopReason = 'refused' | 'signed out' | 'taken over' | 'closed'

/** What to do when a connection is over. */
export type Afterwards =
  | { kind: 'stop'; why: StopReason; message: string }
  | { kind: 'retry'; message: string }
  /** Every device of the server lost it at this moment: they should not all come back at once. */
  | { kind: 'spread'; message: string }

/** MQTT 5.0, section 2.4. */
const code = {
  badCredentials: 0x86,
  notAuthorised: 0x87,
  shuttingDown: 0x8b,
  takenOver: 0x8e,
  administrative: 0x98,
} as const

export const afterwards = (ending: Ending): Afterwards => {
  if (ending.kind === 'lost') return { kind: 'retry', message: ending.why }
  switch (ending.code) {
    case code.badCredentials:
    case code.notAuthorised:
      return { kind: 'stop', why: 'refused', message: 'push token and access token are not accepted: log in again' }
    case code.administrative:
      return { kind: 'stop', why: 'signed out', message: 'signed out by the server: log in again' }
    case code.takenOver:
      return { kind: 'stop', why: 'taken over', message: 'this device is connected elsewhere' }
    case code.shuttingDown:
      return { kind: 'spread', message: 'the server is shutting down' }
    default:
      return { kind: 'retry', message: `the server ended the connection with 0x${ending.code.toString(16)}` }
  }
}
