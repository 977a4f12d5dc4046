import assert from 'node:assert/strict'
import type { Envelope } from './carillon.ts'

/** An answer of either way to call: `headers` as fetch or as the wire has them. */
type Answered = Envelope & { status: number; headers: Headers | Record<string, string> }

export const headerOf = ({ headers }: Pick<Answered, 'headers'>, name: string): string | null =>
  headers instanceof Headers ? headers.get(name) : (headers[name] ?? null)

/** A refusal in full: its code, the HTTP status, the type of the answer, no data, and words that say why. */
export const assertRefused = (answer: Answered, code: number, status: number, says: RegExp | string = /./): void => {
  const told = JSON.stringify({ status: answer.status, code: answer.code, data: answer.data, message: answer.message })
  assert.equal(answer.code, code, told)
  assert.equal(answer.status, status, told)
  assert.equal(headerOf(answer, 'content-type'), 'application/json', told)
  assert.equal(answer.data, null, told)
  assert.equal(typeof answer.message, 'string', told)
  if (typeof says === 'string') assert.ok(namesField(answer.message!, says), `${told} should name ${says}`)
  else assert.match(answer.message!, says)
  assert.doesNotMatch(answer.message!, /\n|\.ts\b|node:|\bat .+:\d+/, 'a stack trace in a message')
}

/** Whether a message begins with the path of this field, and not with a longer one. */
const namesField = (message: string, path: string): boolean => message === path || message.startsWith(`${path} `)
