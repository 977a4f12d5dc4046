import { createHmac } from 'node:crypto'
import { answerSentences } from '@carillon/protocol/sentences/events.ts'
import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import { type DueEvent, claimEvents, settleEvent } from '../store/events.ts'
import type { Store } from '../store/store.ts'

const AT_ONCE_PER_APP = 4
const ANSWER_MS = 10_000
const FIRST_RETRY_MS = 10_000
const LONGEST_RETRY_MS = 3_600_000
// With the pauses above, about a day.
const ATTEMPTS = 32

export interface WebhookParts {
  store: Store
  clock: Clock
  log: Logger
  /** Opens the webhook's sealed secret. */
  secretOf(event: DueEvent): string
}

/** HMAC-SHA256 over the timestamp and the body: whoever has the secret knows that it is from us, and from when. */
export const signature = (secret: string, timestamp: string, body: string): string =>
  createHmac('sha256', secret).update(timestamp).update(body).digest('hex')

/** Tells listeners what is due. False when nothing was. */
export const tellEvents = async (parts: WebhookParts): Promise<boolean> => {
  const { store, clock } = parts
  const due = await store.write(claimEvents, { each: AT_ONCE_PER_APP, now: clock.now() })
  await Promise.all(due.map((event) => tell(parts, event)))
  return due.length > 0
}

const tell = async (parts: WebhookParts, event: DueEvent): Promise<void> => {
  const { store, clock, log } = parts
  const { id, attempt } = event
  const { delivered, answer } = await post(parts, event)
  const now = clock.now()
  const pause = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (attempt - 1))
  const dueAt = attempt < ATTEMPTS ? now + pause : null
  if (!delivered) log.warn({ app: event.app, event: id, attempt, answer }, dueAt === null ? 'a webhook event was given up' : 'a webhook event was not taken')
  await store.write(settleEvent, { id, attempt, delivered, answer, dueAt, now })
}

/** Any 2xx means taken. Redirects are not followed: the listener is the one the operator named. */
const post = async ({ clock, secretOf }: WebhookParts, event: DueEvent): Promise<{ delivered: boolean; answer: string }> => {
  const { id, kind, at, url } = event
  const body = JSON.stringify({ id, event: kind, at, data: JSON.parse(event.data) as unknown })
  const timestamp = String(clock.now())
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_MS),
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Carillon',
        'carillon-event': kind,
        'carillon-delivery': String(id),
        'carillon-timestamp': timestamp,
        'carillon-signature': signature(secretOf(event), timestamp, body),
      },
      body,
    })
    await response.body?.cancel()
    return { delivered: response.ok, answer: `HTTP ${response.status}` }
  } catch (error) {
    const { name, message, cause } = error as Error & { cause?: { code?: string } }
    const isLate = name === 'TimeoutError'
    const answer = isLate ? answerSentences.no_answer({ seconds: ANSWER_MS / 1000 }) : (cause?.code ?? message)
    return { delivered: false, answer }
  }
}
