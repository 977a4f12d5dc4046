/** A call that was not answered with success. */
export class CarillonError extends Error {
  /** The code of the answer; 0 where there was no answer of Carillon's: the network failed, or a proxy answered. */
  readonly code: number
  /** The HTTP status; 0 where there was no answer at all. */
  readonly status: number
  /** What `Retry-After` asked for. */
  readonly retryAfterSeconds: number | undefined

  constructor(code: number, message: string, status: number, more: { retryAfterSeconds?: number } & ErrorOptions = {}) {
    super(message, { cause: more.cause })
    this.name = 'CarillonError'
    this.code = code
    this.status = status
    this.retryAfterSeconds = more.retryAfterSeconds
  }
}

/** Where calls go, and as whom. */
export interface Place {
  /** `https://push.example.com` */
  url: string
  appId: string
  accessToken?: string
  /** With an admin token: call as this user, or as an admin of this group. */
  userId?: number
  groupId?: number
  /** After this long without an answer a call counts as failed. */
  timeoutMs?: number
  fetch?: typeof fetch
}

export interface Asked {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  query?: object
  body?: object
}

const TIMEOUT_MS = 15_000

/** One call; resolves to the `data` of its answer, rejects with a `CarillonError`. */
export const call = async <D>(place: Place, path: string, { method, query, body }: Asked = {}): Promise<D> => {
  const { url, timeoutMs = TIMEOUT_MS, fetch: ask = fetch } = place
  const headers = headersOf(place, body !== undefined)
  const request = { method: method ?? (body ? 'POST' : 'GET'), headers, body: body && write(body) }
  let status: number
  let text: string
  let retryAfter: string | null
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    const address = url.replace(/\/+$/, '') + path + written(query)
    const response = await ask(address, { ...request, signal, cache: 'no-store' })
    status = response.status
    retryAfter = response.headers.get('retry-after')
    text = await response.text()
  } catch (error) {
    throw new CarillonError(0, `${path} could not be called: ${reasonOf(error)}`, 0, { cause: error })
  }
  const { code, data, message } = envelopeOf<D>(text, path, status)
  if (code === 200) return data
  const seconds = retryAfter === null ? NaN : Number(retryAfter)
  const retryAfterSeconds = Number.isFinite(seconds) ? seconds : undefined
  throw new CarillonError(code, message ?? `${path} answered ${code}`, status, { retryAfterSeconds })
}

/** Spelt with hyphens: many proxies drop headers with an underscore. */
const headersOf = ({ appId, accessToken, userId, groupId }: Place, hasBody: boolean): Record<string, string> => ({
  'app-id': asBytes(appId),
  ...(accessToken !== undefined && { 'access-token': asBytes(accessToken) }),
  ...(userId !== undefined && { 'user-id': String(userId) }),
  ...(groupId !== undefined && { 'group-id': String(groupId) }),
  ...(hasBody && { 'content-type': 'application/json' }),
})

/** Headers are bytes, one a character; the server reads them as UTF-8. */
const asBytes = (text: string): string => String.fromCharCode(...new TextEncoder().encode(text))

/** TypeScript's own types do not know it yet. */
const { rawJSON } = JSON as unknown as { rawJSON(digits: string): unknown }

/** An id beyond what a number holds is sent as the digits it is. */
const write = (body: object): string =>
  JSON.stringify(body, (_key, value: unknown) => (typeof value === 'bigint' ? rawJSON(String(value)) : value))

const written = (query: object = {}): string => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}

/** The sentence that helps stands in the cause: `fetch failed` alone says nothing. */
const reasonOf = (error: unknown): string => {
  const { message, cause } = error as Error
  return cause instanceof Error ? `${message} (${cause.message})` : message
}

interface Envelope<D> {
  code: number
  data: D
  message: string | null
}

export const envelopeOf = <D>(text: string, path: string, status: number): Envelope<D> => {
  try {
    const envelope = JSON.parse(text) as Envelope<D> | null
    if (typeof envelope?.code === 'number') return envelope
  } catch {
    // Said below: a proxy's own page is no JSON either.
  }
  throw new CarillonError(0, `${path} was not answered by Carillon (HTTP status ${status})`, status)
}
