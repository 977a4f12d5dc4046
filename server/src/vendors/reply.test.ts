import { test } from 'node:test'
import { readGoaway } from './goaway.ts'
import { Reconnect } from './reconnect.ts'
import { readReply, readRetryAfter } from './reply.ts'

test('Retry-After is seconds or a date by the reply\'s own clock, and never more than an hour', (t) => {
  const date = 'Wed, 21 Oct 2015 07:28:00 GMT'
  t.assert.equal(readRetryAfter('120', undefined), 120_000)
  t.assert.equal(readRetryAfter('0', undefined), 0)
  t.assert.equal(readRetryAfter('999999', undefined), 3_600_000)
  t.assert.equal(readRetryAfter('Wed, 21 Oct 2015 07:29:30 GMT', date), 90_000)
  t.assert.equal(readRetryAfter('Wed, 21 Oct 2015 07:27:00 GMT', date), 0)
  t.assert.equal(readRetryAfter('Wed, 21 Oct 2099 07:28:00 GMT', undefined), 3_600_000)
  const others = ['soon', '-5', '5 minutes', 'May 5', '']
  for (const words of others) t.assert.equal(readRetryAfter(words, date), undefined, words)
})

test('a reply keeps its headers but not what only HTTP/2 has, and reads UTF-8 across chunks', (t) => {
  const chunks = [Buffer.from('{"a":"\xc3', 'latin1'), Buffer.from('\xa4"}', 'latin1')]
  const exchanged = readReply(200, { ':status': 200, 'x-id': 'one', via: ['a', 'b'] }, chunks, 7)
  const reply = { status: 200, headers: { 'x-id': 'one', via: 'a, b' }, body: '{"a":"ä"}' }
  t.assert.deepEqual(exchanged, { kind: 'reply', reply, over: 7 })
})

test('a reply that cannot be read is lost, and yet heard where it asks to wait', (t) => {
  const headers = { 'content-encoding': 'br', 'retry-after': '7' }
  const why = 'the reply (status 429) is encoded as br, which was not asked for'
  t.assert.deepEqual(readReply(429, headers, [Buffer.from('x')], 7), { kind: 'lost', why, retryAfterMs: 7_000 })
  const odd = { kind: 'lost', why: 'the reply (status 200) is not UTF-8' }
  t.assert.deepEqual(readReply(200, {}, [Buffer.from([0xff])], 7), odd)
})

test('what a server says with its GOAWAY is told, in whatever form it comes', (t) => {
  const said = (code: number, words = ''): string => readGoaway(code, Buffer.from(words))
  t.assert.equal(said(0, '{"reason":"Shutdown"}'), 'the server said GOAWAY (NO_ERROR): Shutdown')
  t.assert.equal(said(11, 'too_many_pings'), 'the server said GOAWAY (ENHANCE_YOUR_CALM): too_many_pings')
  t.assert.equal(said(0, '{"other":1}'), 'the server said GOAWAY (NO_ERROR): {"other":1}')
  t.assert.equal(said(0, 'null'), 'the server said GOAWAY (NO_ERROR): null')
  t.assert.equal(said(99), 'the server said GOAWAY (code 99)')
  t.assert.equal(readGoaway(0, undefined), 'the server said GOAWAY (NO_ERROR)')
  t.assert.equal(said(2, 'two\r\nlines'), 'the server said GOAWAY (INTERNAL_ERROR): two lines')
  t.assert.equal(said(2, 'x'.repeat(5_000)).length < 300, true)
})

test('pauses between connections double up to a minute, are shortened by chance, and end with success', (t) => {
  const reconnect = new Reconnect()
  const lengths: number[] = []
  let now = 0
  for (let i = 0; i < 8; i++) {
    t.assert.equal(reconnect.pause(now), undefined)
    reconnect.failed('refused', now, 0)
    const start = now
    while (reconnect.pause(now) !== undefined) now += 500
    lengths.push((now - start) / 1000)
  }
  t.assert.deepEqual(lengths, [1, 2, 4, 8, 16, 32, 60, 60])
  reconnect.failed('refused', now, 1)
  t.assert.equal(reconnect.pause(now), 'refused; the next try is in 30 s')
  reconnect.worked()
  t.assert.equal(reconnect.pause(now), undefined)
})
