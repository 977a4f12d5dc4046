import type { Dial } from './wire.ts'

const SUB_PROTOCOL = 'mqtt'

/** MQTT over the WebSocket that browsers and Node both have. Frames mean nothing: packets may be cut anywhere. */
const dial = (url: URL, events: Parameters<Dial>[1]): ReturnType<Dial> => {
  const socket = new WebSocket(url, SUB_PROTOCOL)
  socket.binaryType = 'arraybuffer'
  socket.addEventListener('open', () => events.opened())
  socket.addEventListener('message', ({ data }) => {
    if (data instanceof ArrayBuffer) events.bytes(new Uint8Array(data))
    else socket.close() // text is not MQTT
  })
  // 'error' says nothing that a page may know, and 'close' follows it.
  socket.addEventListener('close', ({ code, reason }) => events.closed(reason || `WebSocket closed (${code})`))
  return {
    send: (bytes) => socket.send(bytes),
    close: () => socket.close(),
  }
}

export const overWebSocket: Dial = Object.assign(dial, { schemes: ['ws:', 'wss:'] })
