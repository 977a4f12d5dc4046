import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { startVendorWorld } from '../harness/vendor-world.ts'
import { conform, type Keeps } from './conform.ts'
import { connectPhone, type Fields } from './phone.ts'
import { at, sentTo } from './wire.ts'

const world = await startVendorWorld({ after }, { vendors: ['huawei', 'vivo'] })
const { carillon } = world
const phone = await connectPhone({ after }, carillon, 'ann')

const refuses = async (messages: unknown[], path: RegExp): Promise<void> => {
  for (const message of messages) {
    const { code, message: text } = await phone.refusal(message)
    assert.equal(code, 10002, JSON.stringify(message))
    assert.match(text, path)
  }
}

/** The value arrives under its own name; blank ones do not. `beside` keeps the message from being empty. */
const reaches = async (field: string, value: unknown, beside: Fields = { big_text: 'beside' }): Promise<void> => {
  assert.deepEqual((await phone.push({ ...beside, [field]: value }))[field], value)
  for (const blank of [undefined, null, '', ' ', {}, []]) {
    const push = await phone.push({ ...beside, [field]: blank })
    assert.ok(!(field in push), JSON.stringify(blank))
  }
}

const arrivesAs = (type: string | null | undefined, expected: string): Keeps => async () => {
  const push = await phone.push({ type, body: 'hello', badge: '5' })
  assert.deepEqual([push.type, push.body, push.badge], [expected, 'hello', 5])
}

const picture = 'https://files.example/picture'
const soon = Math.floor(Date.now() / 1000) + 3600

/** A place on the web that remembers whether anybody came. */
const gallery = async (t: { after(work: () => unknown): void }) => {
  const visits: string[] = []
  const server = createServer((request, response) => {
    visits.push(request.url!)
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return { visits, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

conform('notify-message', {
  'POST /push/notify message': async () => {
    await refuses([undefined, null, '', {}, []], /^message is required/)
    await refuses(['hello', 7, ['hello']], /^message must be an object/)
    await refuses([{ type: 'text' }, { title: ' ', body: '' }, { ios: { sound: 'bell' } }], /^message must hold/)
  },
  'message.type': () => refuses(['video', 'TEXT', 1].map((type) => ({ type, body: 'x' })), /^message\.type must be/),
  'message.type text': arrivesAs('text', 'text'),
  'message.type image': async () => {
    const push = await phone.push({ type: 'image', attachment_url: `${picture}.png` })
    assert.deepEqual([push.type, push.attachment_url], ['image', `${picture}.png`])
  },
  'message.type cmd': async () => {
    await phone.push({ body: 'before', badge: '7' })
    const push = await phone.push({ type: 'cmd', ext: { refresh: true } })
    assert.deepEqual([push.type, push.ext, 'badge' in push], ['cmd', { refresh: true }, false])
    assert.equal((await phone.push({ body: 'after', badge: '+0' })).badge, 7)
  },
  'message.type, blank': async (t) => {
    for (const blank of [undefined, null, '']) await arrivesAs(blank, 'text')(t)
  },
  'message.title': async () => {
    await reaches('title', 'Grüße 🔔')
    await refuses([{ title: 7, body: 'x' }], /^message\.title must be a string/)
  },
  'message.body': async () => {
    await reaches('body', 'two\nlines')
    await refuses([{ body: 7, title: 'x' }], /^message\.body must be a string/)
  },
  'message.attachment_url': async () => {
    for (const ending of ['.mp3', '.mp4', '.gif', '.jpg']) await reaches('attachment_url', picture + ending)
    const wrong = ['picture.png', 'ftp://files.example/a.png', 'javascript:alert(1)', 7]
    await refuses(wrong.map((attachment_url) => ({ body: 'x', attachment_url })), /^message\.attachment_url must be/)
  },
  'message.attachment_url, image': async () => {
    const image = (ending: string) => ({ type: 'image', attachment_url: picture + ending })
    for (const ending of ['.jpg', '.jpeg', '.png', '.PNG', '.jpg?size=2']) {
      assert.equal((await phone.push(image(ending))).attachment_url, picture + ending)
    }
    const wrong = ['', '.gif', '.png.exe', '.svg?as=.png']
    await refuses(wrong.map(image), /^message\.attachment_url must have a path ending in \.jpg, \.jpeg or \.png/)
    await refuses([{ type: 'image', body: 'x' }], /^message\.attachment_url is required/)
  },
  'message.big_text': async () => {
    await reaches('big_text', 'a long story', { body: 'a story' })
    const push = await phone.push({ body: 'a story', big_text: 'a long story' })
    assert.deepEqual([push.body, push.big_text], ['a story', 'a long story'])
    const long = await sentTo(world, 'huawei', { body: 'a story', big_text: 'a long story' })
    assert.equal(at(long, ['message', 'android', 'notification', 'big_body']), 'a long story')
    const short = await sentTo(world, 'vivo', { body: 'a story', big_text: 'a long story' })
    assert.equal(at(short, ['content']), 'a story')
    await refuses([{ big_text: 7, body: 'x' }], /^message\.big_text must be a string/)
  },
  'message.badge': async () => {
    const wrong = [7, 'seven', '-1', '++1', '+', '1.5', '1234567890']
    await refuses(wrong.map((badge) => ({ body: 'x', badge })), /^message\.badge must be/)
  },
  'message.badge, number': async () => {
    assert.equal((await phone.push({ body: 'x', badge: '40' })).badge, 40)
    assert.equal((await phone.push({ body: 'x', badge: '2' })).badge, 2)
    assert.equal((await phone.push({ body: 'x', badge: '0' })).badge, 0)
  },
  'message.badge, plus': async () => {
    assert.equal((await phone.push({ body: 'x', badge: '10' })).badge, 10)
    assert.equal((await phone.push({ body: 'x', badge: '+5' })).badge, 15)
    assert.equal((await phone.push({ body: 'x', badge: '+1' })).badge, 16)
  },
  'message.badge, blank': async () => {
    assert.equal((await phone.push({ body: 'x', badge: '10' })).badge, 10)
    for (const [i, badge] of [undefined, null, '', ' '].entries()) {
      assert.equal((await phone.push({ body: 'x', badge })).badge, 11 + i)
    }
  },
  'message.ext': async () => {
    await reaches('ext', { order: 7, open: true, nested: { list: [1, 'two', null], empty: {} } })
    await refuses(['order', [1], 7].map((ext) => ({ body: 'x', ext })), /^message\.ext must be an object/)
  },
  'message.show_begin_time': async () => {
    await reaches('show_begin_time', soon)
    const wrong = [String(soon), soon + 0.5]
    await refuses(wrong.map((show_begin_time) => ({ body: 'x', show_begin_time })), /^message\.show_begin_time must be/)
  },
  'message.show_end_time': async () => {
    await reaches('show_end_time', soon)
    await refuses([{ body: 'x', show_end_time: String(soon) }], /^message\.show_end_time must be an integer/)
    await refuses([{ body: 'x', show_end_time: 1_000_000_000 }], /^message\.show_end_time must be in the future/)
    const backwards = { body: 'x', show_begin_time: soon, show_end_time: soon - 60 }
    await refuses([backwards], /^message\.show_end_time must be after/)
  },
  'limits, image size': async (t) => {
    const { visits, url } = await gallery(t)
    const attachment_url = `${url}/larger-than-1-MB.png`
    assert.equal((await phone.push({ type: 'image', attachment_url })).attachment_url, attachment_url)
    assert.deepEqual(visits, [])
  },
  'limits, recommended image size': async () => {
    for (const size of ['876x324', '10x10', '4000x3000']) {
      const attachment_url = `${picture}-${size}.png`
      assert.equal((await phone.push({ type: 'image', attachment_url })).attachment_url, attachment_url)
    }
  },
})
