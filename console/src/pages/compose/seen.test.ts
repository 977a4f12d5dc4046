import { test } from 'node:test'
import type { Carried } from '@carillon/protocol/push-answers.ts'
import { type Draft, emptyDraft, withValue } from './draft.ts'
import type { FieldPath } from './fields.ts'
import { seenOf, stateOf } from './seen.ts'

const draftWith = (values: Partial<Record<FieldPath, string>>): Draft =>
  Object.entries(values).reduce((draft, [path, value]) => withValue(draft, path as FieldPath, value), emptyDraft)
const row = (given: Partial<Carried>): Carried => ({
  vendor: 'vivo',
  carries: true,
  certificate: true,
  title: null,
  body: null,
  big_text: null,
  image: null,
  cut: [],
  dropped: [],
  bytes: 0,
  limit: null,
  ...given,
})
const seen = (draft: Draft, given: Partial<Carried>) =>
  seenOf(draft, given.vendor ?? 'vivo', { draft, rows: [row(given)] })

test('a title that the vendor gets shorter is shown with what is lost', (t) => {
  const { title } = seen(draftWith({ 'message.title': 'Doors open' }), { title: 'Doors' })
  t.assert.deepEqual(title, { kept: 'Doors', mark: '', lost: ' open' })
})

test('a long text in place of the text is cut from the long one', (t) => {
  const draft = draftWith({ 'message.body': 'short', 'message.big_text': 'a very long text' })
  const { body, long } = seen(draft, { vendor: 'oppo', body: 'a very long' })
  t.assert.deepEqual(body, { kept: 'a very long', mark: '', lost: ' text' })
  t.assert.equal(long, undefined)
})

test('a long text unfolds where the vendor is handed one', (t) => {
  const draft = draftWith({ 'message.body': 'short', 'message.big_text': 'long' })
  t.assert.equal(seen(draft, { body: 'short' }).long, undefined)
  t.assert.equal(seen(draft, { vendor: 'huawei', body: 'short', big_text: 'long' }).long?.kept, 'long')
})

test('what is written since is shown at once, cut as it was', (t) => {
  const asked = draftWith({ 'message.title': 'Doors open', 'message.body': 'at' })
  const draft = draftWith({ 'message.title': 'Doors open at', 'message.body': 'at nine' })
  const { title, body } = seenOf(draft, 'vivo', { draft: asked, rows: [row({ title: 'Doors', body: 'at' })] })
  t.assert.deepEqual(title, { kept: 'Doors', mark: '', lost: ' open at' })
  t.assert.deepEqual(body, { kept: 'at nine', mark: '', lost: '' })
})

test('before the server has said anything, what is written is shown', (t) => {
  const { title, body, long } = seenOf(
    draftWith({ 'message.title': 'T', 'message.big_text': 'long' }),
    'vivo',
    undefined,
  )
  t.assert.deepEqual([title.kept, body.kept, long], ['T', 'long', undefined])
})

test('a picture is shown where the request holds one, and where the app fetches it', (t) => {
  const address = 'https://example.com/a.png'
  const draft = draftWith({ 'message.attachment_url': address })
  t.assert.equal(seen(draft, {}).picture, undefined)
  t.assert.equal(seen(draft, { vendor: 'fcm', image: address }).picture, address)
  t.assert.equal(seen(draft, { vendor: 'apns' }).picture, address)
})

test('nothing but http and https is ever loaded as a picture', (t) => {
  for (const address of [
    'javascript:alert(1)//a.png',
    'data:image/png;base64,AAAA.png',
    '//example.com/a.png',
    'file:///a.png',
  ]) {
    const draft = draftWith({ 'message.attachment_url': address })
    t.assert.equal(seen(draft, { vendor: 'apns', image: address }).picture, undefined)
  }
})

test('a channel says at a glance whether it changes anything', (t) => {
  t.assert.equal(stateOf(undefined), 'unknown')
  t.assert.equal(stateOf(row({})), 'fine')
  t.assert.equal(stateOf(row({ cut: [{ field: 'message.title', from: 9, to: 5, unit: 'characters' }] })), 'changed')
  t.assert.equal(stateOf(row({ carries: false })), 'not carried')
})
