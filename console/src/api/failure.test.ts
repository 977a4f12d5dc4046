import test from 'node:test'
import { CarillonError } from '@carillon/sdk/call.ts'
import { endOfSession, fieldOf, mayPass } from './failure.ts'

test('a refusal leads to the field it names', (t) => {
  const named = (message: string, code = 10002) => fieldOf(new CarillonError(code, message, 400))
  t.assert.equal(named('message.title must be text'), 'message.title')
  t.assert.equal(named('audience.tag[3] must be 1 to 128 characters'), 'audience.tag[3]')
  t.assert.equal(named('provider must be a whole number from 1 to 8'), 'provider')
  t.assert.equal(named('header app_id is required'), undefined)
  t.assert.equal(named('the path is malformed'), undefined)
  t.assert.equal(named('push is switched off for this app', 12006), undefined)
  t.assert.equal(fieldOf(new Error('message.title is wrong')), undefined)
})

test('only an error about the token ends a session', (t) => {
  const end = (code: number) => endOfSession(new CarillonError(code, '', 401))
  t.assert.deepEqual([10003, 10008, 402, 10010, 10020, 0].map(end), ['ended', 'ended', 'expired', undefined, undefined, undefined])
  t.assert.equal(endOfSession(new TypeError('failed to fetch')), undefined)
})

test('what may pass is asked again, what was refused is not', (t) => {
  const may = (status: number) => mayPass(new CarillonError(1, '', status))
  t.assert.deepEqual([0, 429, 500, 503, 400, 401, 404].map(may), [true, true, true, true, false, false, false])
})
