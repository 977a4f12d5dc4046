import type { Told } from './sentence.ts'

/** What the last attempt to tell a webhook of an event met. */
export const answerSentences = {
  no_answer: ({ seconds }: { seconds: number }) => `no answer within ${seconds} s`,
  removed: () => 'the webhook was removed',
  /** What the listener answered, or the machine said, as it came: `HTTP 503`, `ECONNREFUSED`. */
  said: ({ said }: { said: string }) => said,
} as const
export type EventAnswer = Told<typeof answerSentences>

/** Answers are stored as text. */
export const eventAnswerOf = (stored: string): EventAnswer => {
  if (stored === answerSentences.removed()) return { name: 'removed', values: {} }
  const seconds = Number(/^no answer within ([\d.]+) s$/.exec(stored)?.[1])
  return seconds > 0 ? { name: 'no_answer', values: { seconds } } : { name: 'said', values: { said: stored } }
}
