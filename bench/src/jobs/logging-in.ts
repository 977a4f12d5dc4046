import { availableParallelism } from 'node:os'
import type { Carillon } from '../../../test/harness/carillon.ts'
import type { Called, Clients } from '../clients.ts'

const PASSWORD = 'correct horse battery'
const USERS = 32
const CONNECTIONS = 8

/** As Carillon counts when it is told nothing. */
export const hashThreads = Math.max(1, availableParallelism() - 1)

/** Users who can log in. */
export const addUsers = async (carillon: Carillon): Promise<void> => {
  const list = Array.from({ length: USERS }, (_, i) => ({ username: `visitor-${i}`, password: PASSWORD }))
  await carillon.ok('/user/register/batch', { token: carillon.admin, body: { list } })
}

/** Right passwords, as many as are taken, for so many seconds. */
export const logIn = (clients: Clients, { port }: Carillon, seconds: number): Promise<Called> => {
  const bodies = Array.from({ length: USERS }, (_, i) => JSON.stringify({ name: `visitor-${i}`, password: PASSWORD }))
  const headers = { app_id: 'demo' }
  return clients.call({ port, connections: CONNECTIONS, path: '/token/user', headers, bodies, for: { seconds } })
}
