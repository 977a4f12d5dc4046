import { once } from 'node:events'
import { type AddressInfo, type Socket, connect, createServer } from 'node:net'

/** A way to a server that can be cut, for one who goes it, while all others still reach the server. */
export interface Relay {
  port: number
  /** Ends what goes through it, and lets nobody through. */
  cut(): void
  mend(): void
}

export const startRelay = async (t: { after(work: () => unknown): void }, target: number): Promise<Relay> => {
  const sockets = new Set<Socket>()
  let isCut = false
  const keep = (socket: Socket): Socket => {
    sockets.add(socket)
    return socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  }
  const server = createServer((near) => {
    keep(near)
    if (isCut) return near.destroy()
    const far = keep(connect({ host: '127.0.0.1', port: target }))
    near.pipe(far).on('close', () => near.destroy())
    far.pipe(near).on('close', () => far.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const end = (): void => sockets.forEach((socket) => socket.destroy())
  t.after(() => {
    end()
    server.close()
  })
  return {
    port: (server.address() as AddressInfo).port,
    cut: () => {
      isCut = true
      end()
    },
    mend: () => {
      isCut = false
    },
  }
}
