import { once } from 'node:events'
import { createServer } from 'node:net'

// Below those from which systems take the ports of outgoing connections: one of these would be gone again in a moment.
const FIRST = 15_000
const COUNT = 15_000

/** A port nobody listens on, for a program whose address must be known before it starts, or stay its own over restarts. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT)
    const server = createServer()
    const taken = new Promise<true>((resolve) => server.once('error', () => resolve(true)))
    const listening = once(server, 'listening').then(() => false)
    listening.catch(() => {})
    server.listen(port, '127.0.0.1')
    if (await Promise.race([taken, listening])) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
