import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectTls, type ConnectionOptions } from 'node:tls'
import type { Dial } from './wire.ts'

/** Where a URL names no port. */
const PORT = 7701

/** MQTT over TCP, for Node: `mqtt://` plain, `mqtts://` with TLS. A file of its own, so that pages never load it. */
export const overTcp = (tls: Pick<ConnectionOptions, 'ca' | 'servername' | 'rejectUnauthorized'> = {}): Dial => {
  const open = ({ protocol, hostname, port }: URL): Socket => {
    const place = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || PORT }
    return protocol === 'mqtts:' ? connectTls({ ...place, ...tls }) : connectPlain(place)
  }
  const dial = (url: URL, events: Parameters<Dial>[1]): ReturnType<Dial> => {
    const socket = open(url).setNoDelay(true)
    let why = 'the server closed the connection'
    socket.on(url.protocol === 'mqtts:' ? 'secureConnect' : 'connect', () => events.opened())
    socket.on('data', (chunk: Buffer) => events.bytes(chunk))
    socket.on('error', (error) => (why = error.message))
    socket.on('close', () => events.closed(why))
    return {
      send: (bytes) => void socket.write(bytes),
      // What is not connected yet has nothing to say, and might not be for minutes.
      close: () => (socket.connecting ? void socket.destroy() : socket.destroySoon()),
    }
  }
  return Object.assign(dial, { schemes: ['mqtt:', 'mqtts:'] })
}
