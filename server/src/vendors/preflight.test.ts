import test, { suite, type TestContext } from 'node:test'
import type { VendorName } from '@carillon/protocol/names.ts'
import type { Message, Setting } from '@carillon/protocol/notify.ts'
import type { Carried } from '@carillon/protocol/push-answers.ts'
import { preflightVendors } from './preflight.ts'

const NOW = Date.UTC(2030, 0, 1)
const app = { name: 'Bells', accounts: [] }

const tried = (vendor: VendorName, message: Message, setting: Setting = {}): Carried =>
  preflightVendors(app, { message, setting }, NOW).find((carried) => carried.vendor === vendor)!

const droppedOf = ({ dropped }: Carried): Record<string, string> => Object.fromEntries(
  dropped.map(({ field, why }) => [field, why]),
)

suite('a text is cut as its vendor cuts it', () => {
  const long = { title: '响'.repeat(300), body: 'b'.repeat(300) }
  const cuts: Partial<Record<VendorName, [title: number, body: number]>> = {
    xiaomi: [49, 127], oppo: [50, 128], vivo: [40, 100], flyme: [32, 100], honor: [40, 256],
  }
  for (const [vendor, [title, body]] of Object.entries(cuts)) {
    test(vendor, (t: TestContext) => {
      const carried = tried(vendor as VendorName, long)
      t.assert.deepEqual(carried.cut, [
        { field: 'message.title', from: 300, to: title, unit: 'characters' },
        { field: 'message.body', from: 300, to: body, unit: 'characters' },
      ])
      t.assert.deepEqual([Array.from(carried.title!).length, carried.body!.length], [title, body])
    })
  }
  for (const vendor of ['apns', 'fcm', 'huawei'] as const) {
    test(`${vendor} cuts nothing`, (t: TestContext) => {
      const { title, body, cut } = tried(vendor, long)
      t.assert.deepEqual({ title, body, cut }, { ...long, cut: [] })
    })
  }
  test('what unfolds is cut to the room that is left, in bytes', (t: TestContext) => {
    const { cut, big_text, bytes, limit } = tried('flyme', { title: 'a', body: 'b', big_text: '长'.repeat(3000) })
    t.assert.deepEqual(
      cut, [{ field: 'message.big_text', from: 9000, to: Buffer.byteLength(big_text!), unit: 'bytes' }],
    )
    t.assert.equal(limit === 4096 && bytes <= limit, true)
  })
})

test('what a vendor has no place for is told, and what only the app gets', (t: TestContext) => {
  const message: Message = {
    title: 'Hello', body: 'there', big_text: 'there and everywhere', attachment_url: 'https://a.example/a.png',
    badge: '5', ext: { order: 7 },
    android: { sound: 'bell.mp3', channel_id: 'news', click_action: 'open_app' }, ios: {
      subtitle: 'sub', sound: 'ding',
    },
  }
  const setting: Setting = { collapse_id: 'c', priority: 'high', time_to_live: 3600 }
  const asData = 'it is not shown; the app gets it as data'
  const of = (vendor: VendorName) => droppedOf(tried(vendor, message, setting))
  t.assert.deepEqual(of('apns'), { 'message.body': 'big_text is shown in its place' })
  t.assert.deepEqual(of('fcm'), {})
  t.assert.deepEqual(of('huawei'), { 'message.badge': 'it needs badge_class' })
  t.assert.deepEqual(of('honor'), {
    'message.badge': 'it needs badge_class',
    'message.android.sound': 'Honor Push has no place for it',
    'message.android.channel_id': 'Honor Push has no place for it',
  })
  t.assert.deepEqual(
    of('xiaomi'), { 'message.big_text': asData, 'message.attachment_url': asData, 'message.badge': asData },
  )
  t.assert.deepEqual(of('oppo'), {
    'message.body': 'big_text is shown in its place',
    'message.attachment_url': asData,
    'message.android.sound': 'OPPO Push has no place for it',
  })
  t.assert.deepEqual(of('vivo'), {
    'message.big_text': 'vivo Push has no place for it',
    'message.attachment_url': asData,
    'message.android.sound': 'vivo Push has no place for it',
    'message.android.channel_id': 'vivo Push has no place for it',
  })
  t.assert.deepEqual(of('flyme'), {
    'message.attachment_url': asData,
    'message.badge': 'Meizu Flyme Push has no place for it',
    'message.android.sound': 'Meizu Flyme Push has no place for it',
    'message.android.channel_id': 'Meizu Flyme Push has no place for it',
  })
})

test('a field that says the usual is not missed, nor is what the vendor itself is told otherwise', (t: TestContext) => {
  const message: Message = {
    title: 'a', badge: '+1', ios: { content_available: false }, android: {
      click_action: 'open_app', sound: 'a',
    }, xiaomi: { sound: 'b' },
  }
  for (const vendor of ['apns', 'xiaomi', 'fcm'] as const) t.assert.deepEqual(
    droppedOf(tried(vendor, message)), {}, vendor,
  )
})

test('what there is no room for is told as that', (t: TestContext) => {
  const ext = { text: 'x'.repeat(1100) }
  t.assert.deepEqual(
    droppedOf(tried('vivo', { title: 'a', body: 'b', ext })), { 'message.ext': 'there is no room for it' },
  )
  const large = { title: 'a', body: 'b', big_text: 'x'.repeat(5000) }
  for (const vendor of ['apns', 'fcm', 'xiaomi'] as const) {
    const carried = tried(vendor, large)
    t.assert.deepEqual(
      [carried.body, carried.carries, droppedOf(carried)],
      ['b', true, { 'message.big_text': 'there is no room for it' }], vendor,
    )
  }
})

test('a message that is too large, or has no way there, is not carried, and it is said why', (t: TestContext) => {
  const large = tried('apns', { title: 'a', body: 'x'.repeat(5000) })
  t.assert.equal(large.carries, false)
  t.assert.match(large.why!, /^it takes \d+ of the 4096 that Apple Push Notification service has room for$/)
  t.assert.equal(large.bytes > 5000, true)
  const silent: Message = { type: 'cmd', title: 'hidden', ext: { a: 1 } }
  t.assert.match(tried('oppo', silent).why!, /^OPPO Push has no way to carry a message that shows nothing$/)
  t.assert.match(tried('xiaomi', silent).why!, /its option pass_through/)
  t.assert.deepEqual(
    [tried('apns', silent).carries, tried('apns', silent).title, tried('apns', silent).dropped], [true, null, []],
  )
})

test('pictures are shown where the vendor shows them', (t: TestContext) => {
  const picture: Message = { type: 'image', title: 'a', attachment_url: 'https://a.example/a.png' }
  const carried = preflightVendors(app, { message: picture, setting: {} }, NOW)
  const shows = (name: string): boolean => carried.find(({ vendor }) => vendor === name)!.image !== null
  t.assert.deepEqual(['fcm', 'honor', 'huawei', 'xiaomi'].map(shows), [true, true, true, true])
  t.assert.deepEqual(['apns', 'flyme', 'oppo', 'vivo'].map(shows), [false, false, false, false])
})

test('the options in the certificate of the app count', (t: TestContext) => {
  const account = {
    app: 1, vendor: 'xiaomi' as const, key: 'k', environment: 1 as const, app_id: '', app_key: '', app_secret: 's',
    certificate: '', name: 'com.example',
    options: { pass_through: true },
  }
  const message: Message = { type: 'cmd', ext: { a: 1 } }
  const [carried] = preflightVendors({ name: 'Bells', accounts: [account] }, { message, setting: {} }, NOW).filter(
    ({ vendor }) => vendor === 'xiaomi',
  )
  t.assert.deepEqual([carried!.carries, carried!.certificate], [true, true])
})

test('numbers in ext are as exact here as on their way', (t: TestContext) => {
  const ext = { id: JSON.rawJSON('12345678901234567890') }
  t.assert.deepEqual(droppedOf(tried('fcm', { title: 'a', body: 'b', ext, android: { sound: 'x' } })), {})
})
