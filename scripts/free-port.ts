import { type Server, createServer } from 'node:net'

// Below those from which systems take the ports of outgoing connections: one of these would be gone again in a moment. And
// above the last one that fetch and browsers do not call, 10080.
const FIRST = 10_100
const COUNT = 2_900

const listen = async (port: number): Promise<Server | undefined> => {
  const server = createServer()
  const { promise, resolve } = Promise.withResolvers<Server | undefined>()
  server.once('error', () => resolve(undefined))
  server.listen(port, '127.0.0.1', () => resolve(server))
  return promise
}

const close = async (server: Server): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>()
  server.close(() => resolve())
  return promise
}

/**
 * A port nobody listens on, for a program whose address must be known before it starts, or stay its own over restarts.
 * It belongs to this process until that ends: between being found and being listened on, and over every restart, another
 * process that looks for one does not get it. The sign of that is a second port, held open `COUNT` above it.
 */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT)
    const sign = await listen(port + COUNT)
    if (!sign) continue
    const door = await listen(port)
    if (door) {
      await close(door)
      sign.unref()
      return port
    }
    await close(sign)
  }
}
