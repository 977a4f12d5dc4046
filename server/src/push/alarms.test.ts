import test, { type TestContext } from 'node:test'
import { alarmSentences } from '@carillon/protocol/sentences/alarms.ts'
import { inEnglish } from '@carillon/protocol/sentences/sentence.ts'
import { alarmsOf } from './alarms.ts'

const now = Date.UTC(2026, 10, 15)
const DAY_MS = 86_400_000
const lane = { provider: 3, environment: 1, state: 'open', why: null, reason: null, tokens_dying_since: null }
const calm = {
  figures: { certificates: [], webhook: undefined, pushOffSince: undefined }, pushOff: false, lanes: [lane], deaf: undefined,
  now,
}

test('every kind of alarm says by its name what its text says in English', (t: TestContext) => {
  const certificate = { vendor: 'apns', environment: 1, name: 'main' } as const
  const alarms = alarmsOf({
    ...calm,
    figures: {
      certificates: [{ ...certificate, expires_at: now - DAY_MS }, { ...certificate, expires_at: now + DAY_MS }],
      webhook: { since: now, answer: 'no answer within 10 s', given_up: 2 },
      pushOffSince: now,
    },
    pushOff: true,
    lanes: [{ ...lane, state: 'paused', tokens_dying_since: now }],
    deaf: { why: 'refused', since: now },
  })
  t.assert.deepEqual(alarms.map(({ kind }) => kind), Object.keys(alarmSentences))
  for (const { kind, text, told } of alarms) {
    t.assert.equal(told.name, kind)
    t.assert.equal(text, inEnglish(alarmSentences, told))
  }
  const values = alarms.map(({ told }) => told.values)
  t.assert.deepEqual(values[1], { name: 'main', day: '2026-11-14' })
  t.assert.deepEqual(values[5], { answer: 'no answer within 10 s', seconds: 10, given_up: 2 })
})

test('of a paused lane it is told why, in words and by the name of the reason', (t: TestContext) => {
  const why = 'the AppSecret is not right (21301)'
  const reason = { name: 'denied', values: { words: why, said: '21301' } } as const
  const [alarm] = alarmsOf({ ...calm, lanes: [{ ...lane, state: 'paused', why, reason }] })
  t.assert.deepEqual([alarm?.kind, alarm?.text, alarm?.reason], ['lane_paused', why, reason])
})

test('while nothing is wrong there is no alarm', (t: TestContext) => {
  t.assert.deepEqual(alarmsOf(calm), [])
})
