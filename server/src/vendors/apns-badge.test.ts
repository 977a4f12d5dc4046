import test, { type TestContext } from 'node:test'
import type { Message } from '@carillon/protocol/notify.ts'
import apns from './apns.ts'
import type { Account, VendorPush } from './vendor.ts'

const NOW = Date.UTC(2026, 10, 15, 6)
const timeout = 10_000
const account: Account = { app_id: 'com.example.app', app_key: '', app_secret: '', certificate: '', name: '', options: {}, environment: 1 }

const pushOf = (message: Message): VendorPush => ({
  taskId: 1, message, setting: {}, appName: 'Demo', now: NOW, expiresAt: NOW + 60_000, receiptUrl: undefined,
})
const bodyFor = (push: VendorPush, badge: number | null, access = 'a'): string =>
  apns.request({
    push, account, addresses: [{ token: 'ab'.repeat(32), deviceId: 1, badge }], region: '', access, variant: '', prepared: '',
  }).body

test('devices of one push get the same payload, each with its own badge, whatever digits the texts hold', { timeout }, (t: TestContext) => {
  const push = pushOf({ title: '1', body: '"badge":1', ext: { badge: 1, two: 2 } })
  const without = JSON.parse(bodyFor(push, null))
  t.assert.equal('badge' in without.aps, false)
  for (const badge of [0, 1, 2, 12, 999_999_999]) {
    const { aps, ...data } = JSON.parse(bodyFor(push, badge))
    t.assert.deepEqual({ aps, ...data }, { ...without, aps: { ...without.aps, badge } })
  }
})

test('what shows nothing carries the badge beside its data', { timeout }, (t: TestContext) => {
  const push = pushOf({ type: 'cmd', ext: { badge: 2 } })
  t.assert.deepEqual([7, 12, null].map((badge) => JSON.parse(bodyFor(push, badge)).badge), [7, 12, undefined])
})

test('the long text gives way for exactly those devices whose badge makes it too long', { timeout }, (t: TestContext) => {
  const bytes = Buffer.byteLength(bodyFor(pushOf({ body: 'short', big_text: '' }), 1))
  const push = pushOf({ body: 'short', big_text: 'x'.repeat(4096 - bytes) })
  t.assert.equal(Buffer.byteLength(bodyFor(push, 9)), 4096)
  t.assert.deepEqual([9, 10, 8].map((badge) => JSON.parse(bodyFor(push, badge)).aps.alert.body === 'short'), [false, true, false])
})

test('a renewed access token is used for what is left of the push', { timeout }, (t: TestContext) => {
  const push = pushOf({ body: 'Hello' })
  const authorizationOf = (access: string) =>
    apns.request({ push, account, addresses: [{ token: 'ab', deviceId: 1, badge: 1 }], region: '', access, variant: '', prepared: '' }).headers.authorization
  t.assert.deepEqual(['one', 'two', 'one'].map(authorizationOf), ['bearer one', 'bearer two', 'bearer one'])
})
