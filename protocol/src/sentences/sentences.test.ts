import test, { type TestContext } from 'node:test'
import { answerSentences, eventAnswerOf } from './events.ts'
import { groundsOf, notHere, plainly, type PlainReason, reasonOf, reasonSentences } from './reasons.ts'
import { refusalOf, refusalSentences } from './refusals.ts'
import { inEnglish, inWords } from './sentence.ts'

const plain = Object.keys(reasonSentences).filter(
  (name) => reasonSentences[name as PlainReason].length === 0,
) as PlainReason[]

test('a reason told by its name reads in English as the text beside it', (t: TestContext) => {
  t.assert.ok(plain.length > 10)
  const answered = { why: 'the secret is wrong: no such (21301)', reason: 'denied', said: '21301: no such' } as const
  for (const grounds of [...plain.map(plainly), notHere('xiaomi'), answered]) {
    t.assert.equal(inEnglish(reasonSentences, reasonOf(grounds)!), grounds.why)
  }
  t.assert.deepEqual(reasonOf(answered), { name: 'denied', values: { words: answered.why, said: answered.said } })
})

test('why no channel was chosen is stored by its name; what was stored in words is still told in them', (t: TestContext) => {
  for (const name of plain) t.assert.deepEqual(groundsOf(name), plainly(name))
  for (const words of ['the device is logged out', 'denied', 'not_here', 'constructor']) {
    t.assert.deepEqual(groundsOf(words), { why: words })
    t.assert.equal(reasonOf(groundsOf(words)), undefined)
  }
  t.assert.deepEqual(groundsOf(null), plainly('no_channel'))
})

test('a name that a language does not have is not said in it', (t: TestContext) => {
  for (const name of ['of tomorrow', 'constructor']) {
    t.assert.equal(inWords(reasonSentences, { name, values: {} }), undefined)
  }
})

test('what a webhook met is told as it was stored', (t: TestContext) => {
  for (const [stored, name] of [
    ['no answer within 10 s', 'no_answer'], ['the webhook was removed', 'removed'], ['HTTP 503', 'said'],
    ['ECONNREFUSED', 'said'], ['no answer within reach s', 'said'],
  ] as const) {
    t.assert.equal(eventAnswerOf(stored).name, name)
    t.assert.equal(inEnglish(answerSentences, eventAnswerOf(stored)), stored)
  }
})

test('a refusal that says more than its code is known by its text', (t: TestContext) => {
  const { fault, taken, ...plain } = refusalSentences
  const alone = Object.values(plain).map((sentence) => sentence())
  const said = [...alone, fault({ id: '7f3a' }), taken({ field: 'mobile' })]
  t.assert.deepEqual(said.map((message) => refusalOf(message)?.name), [...Object.keys(plain), 'fault', 'taken'])
  for (const message of said) t.assert.equal(inEnglish(refusalSentences, refusalOf(message)!), message)
  for (const other of ['', 'no such path', 'it is taken away']) t.assert.equal(refusalOf(other), undefined)
})
