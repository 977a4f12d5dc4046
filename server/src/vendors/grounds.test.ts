import test, { type TestContext } from 'node:test'
import { codeIn, groundsOf, unanswered } from './grounds.ts'
import type { Account, Addressed } from './vendor.ts'
import { vendors } from './vendors.ts'

test('a verdict is a reason by its kind, with what the vendor said as it came', (t: TestContext) => {
  const why = 'the AppSecret is not right (21301)'
  t.assert.deepEqual(groundsOf({ kind: 'denied', why, said: '21301' }), { why, reason: 'denied', said: '21301' })
  t.assert.deepEqual(groundsOf({ kind: 'dead', why }), { why, reason: 'gone' })
  t.assert.equal(groundsOf({ kind: 'down', why, reason: 'no_access_token' }).reason, 'no_access_token')
})

test("where nobody answered, the machine's own code is quoted", (t: TestContext) => {
  const refused = 'connect ECONNREFUSED 127.0.0.1:443; the next try is in 1 s'
  t.assert.deepEqual(unanswered({ kind: 'unsent', why: refused }), { why: refused, reason: 'unreached', said: 'ECONNREFUSED' })
  const late = 'no answer within 5 s'
  t.assert.deepEqual(unanswered({ kind: 'lost', why: late }), { why: late, reason: 'unanswered' })
  t.assert.equal(codeIn('certificate has expired (CERT_HAS_EXPIRED)'), 'CERT_HAS_EXPIRED')
  t.assert.equal(codeIn('the server sent GOAWAY (ENHANCE_YOUR_CALM): too_many_pings'), 'ENHANCE_YOUR_CALM')
  t.assert.equal(codeIn('the reply (status 200) is not UTF-8'), undefined)
})

const account: Account = {
  app_id: '1', app_key: '1', app_secret: '1', certificate: '', name: 'com.example.app', options: {}, environment: 1,
}

for (const vendor of Object.values(vendors)) {
  test(`${vendor.name}: an answer that nobody understands is quoted`, (t: TestContext) => {
    const push = {
      taskId: 1, message: { title: 'a' }, setting: {}, appName: 'a', now: 0, expiresAt: 60_000, receiptUrl: undefined,
    }
    const addresses = [{ token: vendor.probe?.token ?? 'token', deviceId: 1, badge: null }]
    const to: Addressed = { push, account, addresses, region: '', access: 'access', variant: '', prepared: '' }
    const reply = { status: 418, headers: {}, body: 'a teapot' }
    const verdicts = vendor.read(reply, to)
    t.assert.deepEqual(verdicts.map(({ said }) => said), ['HTTP 418'])
    const { access } = vendor
    if (!access || 'make' in access) return
    const asked = access.read(reply, 0)
    t.assert.equal('said' in asked && asked.said, 'HTTP 418')
  })
}
