import type { Socket } from 'node:net'
import { DROP_LIMIT } from './body.ts'
import { onTheWire } from './envelope.ts'
import { countUnrouted } from './meter.ts'

const answers: Record<string, { status: number; message: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'the headers must be under 16 KiB, the path included' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, message: 'the chunk extensions must be under 16 KiB' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'the request did not arrive in time' },
}
const malformed = { status: 400, message: 'the request is not well-formed HTTP' }

/** How long a caller may take to read the refusal and hang up. */
const LINGER_MS = 5_000

/** Node keeps the answer under way here, and looks at it in its own default for these errors. */
type HttpSocket = Socket & { _httpMessage?: { headersSent: boolean } | null }

/** Answers what Node's parser refuses. It comes once per chunk: the parser goes on refusing what follows. */
export const answerParserError = (error: NodeJS.ErrnoException, socket: HttpSocket): void => {
  if (socket.writableEnded) {
    if (socket.bytesRead > DROP_LIMIT) socket.destroy()
    return
  }
  // An answer that has begun cannot be followed by another one.
  if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent) {
    socket.destroy()
    return
  }
  const { status, message } = answers[error.code ?? ''] ?? malformed
  countUnrouted(10002)
  socket.end(onTheWire(status, 10002, message))
  socket.setTimeout(LINGER_MS, () => socket.destroy())
}
