import type { Exchanged } from './exchange.ts'

const LONGEST_WAIT_MS = 3_600_000

/** As node gives them: names in lower case, a name that came twice as a list; HTTP/2's own begin with a colon. */
type Received = Readonly<Record<string, string | number | readonly string[] | undefined>>

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** A whole answer, read. An answer that cannot be read is lost: what it says is not known. */
export const readReply = (
  status: number,
  received: Received,
  chunks: readonly Buffer[] | undefined,
  over: number,
): Exchanged => {
  const headers: Record<string, string> = {}
  for (const name in received) {
    const value = received[name]
    if (value === undefined || name.charCodeAt(0) === 58) continue
    headers[name] = typeof value === 'object' ? value.join(', ') : String(value)
  }
  const wait = headers['retry-after']
  const asked = wait === undefined ? undefined : { retryAfterMs: readRetryAfter(wait, headers['date']) }
  const lost = (why: string): Exchanged => ({ kind: 'lost', why: `the reply (status ${status}) ${why}`, ...asked })
  let body = ''
  if (chunks !== undefined) {
    const encoding = headers['content-encoding'] ?? 'identity'
    if (encoding !== 'identity') return lost(`is encoded as ${encoding}, which was not asked for`)
    try {
      body = utf8.decode(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))
    } catch {
      return lost('is not UTF-8')
    }
  }
  return { kind: 'reply', reply: { status, headers, body }, over, ...asked }
}

/** Seconds, or a date: then as far from now as it is from the reply's own date, since two clocks rarely agree. */
export const readRetryAfter = (wait: string, date: string | undefined): number | undefined => {
  if (/^\d+(\.\d+)?$/.test(wait)) return Math.min(Number(wait) * 1000, LONGEST_WAIT_MS)
  const until = readDate(wait)
  if (until === undefined) return undefined
  return Math.max(0, Math.min(until - (readDate(date) ?? Date.now()), LONGEST_WAIT_MS))
}

/** Only what ends as HTTP's dates do: Date.parse finds a date in almost any words. */
const readDate = (text: string | undefined): number | undefined => {
  if (text === undefined || !text.endsWith(' GMT')) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : at
}
