import test from 'node:test'
import { parseJson } from '@carillon/protocol/json.ts'
import { Message } from '@carillon/protocol/notify.ts'
import { read } from '@carillon/protocol/read.ts'
import { parser, type IPublishPacket } from 'mqtt-packet'
import type { Push } from '../push/channel.ts'
import { EncodedPush, EncodedPushes } from './encode.ts'
import { NOW, pushOf } from './gateway.fixture.ts'

const readPublish = (bytes: Buffer, protocolVersion: 4 | 5): IPublishPacket => {
  const found: IPublishPacket[] = []
  const reading = parser({ protocolVersion })
  reading.on('packet', (packet) => found.push(packet as IPublishPacket))
  reading.parse(bytes)
  return found[0]!
}

const encode = (push: Push): EncodedPush => {
  const encoded = new EncodedPush(push)
  encoded.stamp(NOW)
  return encoded
}

test('a push carries every field that is not blank, and none that is', (t) => {
  const message = read(Message, {
    type: 'image',
    title: 'Grüße 🔔',
    body: '  ',
    big_text: '',
    attachment_url: 'https://example.com/a.png',
    ext: { a: [1, { b: '' }] },
    show_begin_time: 5,
    android: { sound: 'bell', channel_id: '' },
    ios: { subtitle: ' ' },
    xiaomi: { sound: 'not for this channel' },
  })
  const push = pushOf(7, message)
  push.setting.collapse_id = 'score'
  const { payload, topic } = readPublish(encode(push).bytes(4, 1, 3, 9, false), 4)
  t.assert.equal(topic, 'push')
  t.assert.deepEqual(JSON.parse(payload.toString()), {
    task_id: 7,
    channel: 'nativepush',
    type: 'image',
    title: 'Grüße 🔔',
    attachment_url: 'https://example.com/a.png',
    ext: { a: [1, { b: '' }] },
    show_begin_time: 5,
    android: { sound: 'bell' },
    collapse_id: 'score',
    sent_at: NOW,
    badge: 3,
  })
})

test('ext arrives as the caller wrote it, big numbers included', (t) => {
  const ext = '{"id":12345678901234567890,"price":1.10,"e":1e400}'
  const message = parseJson(Buffer.from(`{"ext":${ext}}`)) as Push['message']
  const { payload } = readPublish(encode(pushOf(1, message)).bytes(4, 0, null, 0, false), 4)
  t.assert.match(payload.toString(), new RegExp(`"ext":${RegExp.escape(ext)},`))
})

test('packet id, badge and DUP differ from copy to copy and never leak into the next one', (t) => {
  const encoded = encode(pushOf(1))
  const copies = [[1, 0, false], [65535, 2147483647, true], [256, 7, false], [2, null, false]] as const
  for (const version of [4, 5] as const) {
    for (const [id, badge, again] of copies) {
      const packet = readPublish(encoded.bytes(version, 1, badge, id, again), version)
      t.assert.equal(packet.messageId, id)
      t.assert.equal(packet.qos, 1)
      t.assert.equal(packet.dup, again)
      t.assert.equal(JSON.parse(packet.payload.toString()).badge, badge ?? undefined)
    }
  }
})

test('copies are independent: writing the next one does not change one that is still being sent', (t) => {
  const encoded = encode(pushOf(1))
  const first = encoded.bytes(5, 1, 1, 1, false)
  const before = Buffer.from(first)
  encoded.stamp(NOW + 5000)
  encoded.bytes(5, 1, 99, 2, true)
  t.assert.deepEqual(first, before)
})

test('MQTT 5 gets the task id and the seconds left, counted anew at every sending', (t) => {
  const encoded = encode(pushOf(42))
  const properties = () => readPublish(encoded.bytes(5, 0, null, 0, false), 5).properties
  t.assert.equal(properties()?.messageExpiryInterval, 3600)
  t.assert.equal(properties()?.userProperties?.['task_id'], '42')
  encoded.stamp(NOW + 1_800_000)
  t.assert.equal(properties()?.messageExpiryInterval, 1800)
  encoded.stamp(NOW + 9_000_000)
  t.assert.equal(properties()?.messageExpiryInterval, 1)
})

test('sent_at is the time of sending, not of encoding', (t) => {
  const encoded = encode(pushOf(1))
  encoded.bytes(4, 1, null, 1, false)
  encoded.stamp(NOW + 1234)
  const { payload } = readPublish(encoded.bytes(4, 1, null, 1, false), 4)
  t.assert.equal(JSON.parse(payload.toString()).sent_at, NOW + 1234)
})

test('lengths around each size of the length field are right', (t) => {
  for (const size of [0, 1, 20, 100, 127, 128, 16_200, 16_300, 16_384, 64_000]) {
    const push = pushOf(1, { title: 'x'.repeat(size + 1) })
    const encoded = encode(push)
    const bytes = encoded.bytes(5, 1, 1, 1, false)
    t.assert.equal(encoded.size(5, 1, 1), bytes.length)
    t.assert.equal(JSON.parse(readPublish(bytes, 5).payload.toString()).title.length, size + 1)
  }
})

test('pushes of the same task share one encoding; old tasks are let go', (t) => {
  const pushes = new EncodedPushes()
  const first = pushes.of(pushOf(1))
  for (let task = 2; task <= 64; task += 1) pushes.of(pushOf(task))
  t.assert.equal(pushes.of(pushOf(1)), first)
  const second = pushes.of(pushOf(2))
  pushes.of(pushOf(100))
  t.assert.equal(pushes.of(pushOf(2)), second)
  for (let task = 200; task < 264; task += 1) pushes.of(pushOf(task))
  t.assert.notEqual(pushes.of(pushOf(1)), first)
})
