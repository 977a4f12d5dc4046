import test, { type TestContext } from 'node:test'
import { byteOf } from '../store/ledger.ts'
import type { TaskRow } from '../store/tasks.ts'
import type { TracedBatch } from '../store/trace.ts'
import { traceInWords } from './trace.ts'

const task = { state: 'sending', accepted_at: 1, plan_at: null } as TaskRow
const batch = { channel: 'xiaomi', reason: null, byte: byteOf('dead'), attempt: 1, dueAt: null, log: [] } as TracedBatch
const stepsOf = (changes: Partial<TracedBatch>) => traceInWords(task, [{ ...batch, ...changes }]).slice(1)

test('a step says why by a name, and quotes what the vendor said', (t: TestContext) => {
  const why = 'the regid is not valid: bad (20301)'
  const log = [{ at: 5, what: 'dead', count: 1, why, reason: 'gone', said: '20301: bad' }] as const
  t.assert.deepEqual(stepsOf({ log: [...log] })[1], {
    at: 5, what: 'gone', channel: 'xiaomi', why, reason: { name: 'gone', values: { words: why, said: '20301: bad' } },
    text: `xiaomi: the vendor says this address is gone (${why})`,
  })
  t.assert.deepEqual(stepsOf({ channel: 'none', reason: 'push_off', byte: byteOf('untargeted') }), [{
    at: null, what: 'not_sent', why: 'the user has switched push off', reason: { name: 'push_off', values: {} },
    text: 'not sent: the user has switched push off',
  }])
  t.assert.equal(stepsOf({ channel: 'held', reason: 'quiet_hours' })[0]?.text, 'held back: quiet hours of the user')
})

test('what was stored before reasons had names is told in its words', (t: TestContext) => {
  const log = [{ at: 5, what: 'dead', count: 1, why: 'gone for good' }]
  t.assert.deepEqual(stepsOf({ log })[1], {
    at: 5, what: 'gone', channel: 'xiaomi', why: 'gone for good',
    text: 'xiaomi: the vendor says this address is gone (gone for good)',
  })
  const [old] = stepsOf({ channel: 'none', reason: 'the device is logged out', byte: byteOf('untargeted') })
  t.assert.deepEqual([old?.text, old?.reason], ['not sent: the device is logged out', undefined])
})
