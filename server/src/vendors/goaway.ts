// RFC 9113, section 7, by number.
const codes = [
  'NO_ERROR', 'PROTOCOL_ERROR', 'INTERNAL_ERROR', 'FLOW_CONTROL_ERROR', 'SETTINGS_TIMEOUT', 'STREAM_CLOSED',
  'FRAME_SIZE_ERROR', 'REFUSED_STREAM', 'CANCEL', 'COMPRESSION_ERROR', 'CONNECT_ERROR', 'ENHANCE_YOUR_CALM',
  'INADEQUATE_SECURITY', 'HTTP_1_1_REQUIRED',
]
const MOST_CHARACTERS = 200

export const codeName = (code: number): string => codes[code] ?? `code ${code}`

/** Apple explains itself with {"reason":…}, Google with a word, others with a sentence or not at all. */
export const readGoaway = (code: number, data: Uint8Array | undefined): string => {
  const said = reasonIn(Buffer.from(data ?? []).toString('utf8').trim())
  return `the server said GOAWAY (${codeName(code)})${said && `: ${said}`}`
}

const reasonIn = (text: string): string => {
  try {
    const { reason } = JSON.parse(text) as { reason?: unknown }
    if (typeof reason === 'string') return reason.slice(0, MOST_CHARACTERS)
  } catch {
    // Not JSON: the words themselves.
  }
  return text.replaceAll(/\p{Cc}+/gu, ' ').slice(0, MOST_CHARACTERS)
}
