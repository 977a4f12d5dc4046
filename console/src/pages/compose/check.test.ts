import { test } from 'node:test'
import { parseExactly } from '@carillon/protocol/exact-json.ts'
import { readNotify } from '@carillon/protocol/read-notify.ts'
import { problemsOf } from './check.ts'
import { type Draft, emptyDraft, withAudience, withValue } from './draft.ts'
import { type FieldPath } from './fields.ts'
import { writeText } from './json-text.ts'
import { requestOf } from './request.ts'

const NOW = 1_800_000_000_000
const soon = String(NOW / 1000 + 600)
const later = String(NOW / 1000 + 6000)
const past = String(NOW / 1000 - 1)

const hello: Draft = withValue(withAudience(emptyDraft, 'all'), 'message.title', 'Hello')
const draftWith = (values: Partial<Record<FieldPath, string>>): Draft =>
  Object.entries(values).reduce((draft, [path, value]) => withValue(draft, path as FieldPath, value), hello)

const intent = 'intent:#Intent;component=com.example/.Page;S.id=7;end'
const deep = (levels: number): string => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels)

/** What the protocol says of the same request: the path of what it refuses. */
const refused = (draft: Draft): string | undefined => {
  try {
    readNotify(parseExactly(writeText(requestOf(draft))), { now: NOW })
    return undefined
  } catch (error) {
    return /^[\w.]+/.exec((error as Error).message)![0]
  }
}

const good: Record<string, Draft> = {
  'a title alone': hello,
  'a list of 500': withAudience(
    hello,
    'tag',
    Array.from({ length: 500 }, (_, i) => `tag ${i}`),
  ),
  'ids beyond what a number holds': withAudience(hello, 'user_id', ['7', '9223372036854775807']),
  'a badge to add to': draftWith({ 'message.badge': '+3' }),
  'a picture': draftWith({ 'message.type': 'image', 'message.attachment_url': 'https://example.com/a/B.PNG?x=1' }),
  'data with numbers of any size': draftWith({ 'message.ext': '{"order":123456789012345678901234567890,"x":1.10}' }),
  'data of 30 levels': draftWith({ 'message.ext': deep(30) }),
  'both times': draftWith({ 'message.show_begin_time': soon, 'message.show_end_time': later }),
  'an intent of a vendor': draftWith({ 'message.vivo.click_action': 'intent', 'message.vivo.intent': intent }),
  'an intent nobody uses': draftWith({ 'message.android.intent': 'anything' }),
  'a vendor that takes the click of android': draftWith({
    'message.android.click_action': 'intent',
    'message.android.intent': intent,
    'message.oppo.sound': 'bell',
  }),
  'every setting': draftWith({
    'setting.request_id': 'r'.repeat(128),
    'setting.distribution_strategy': 'combined',
    'setting.ospush_sequence': 'ups,fcm,flyme',
    'setting.time_to_live': '2592000',
    'setting.send_time': soon,
    'setting.priority': 'high',
    'setting.collapse_id': 'c'.repeat(64),
    'setting.dry_run': 'true',
    'message.vivo.push_mode': '1',
    'message.vivo.classification': '0',
    'message.ios.mutable_content': 'false',
  }),
}

const bad: Record<string, [Draft, string]> = {
  'nobody to send to': [withAudience(hello, 'alias', []), 'audience'],
  'an id that is none': [withAudience(hello, 'user_id', ['7', 'alice']), 'audience'],
  'an id beyond int64': [withAudience(hello, 'user_id', ['9223372036854775808']), 'audience'],
  'a tag that is too long': [withAudience(hello, 'tag', ['钟'.repeat(129)]), 'audience'],
  'a token that is too long': [withAudience(hello, 'push_token', ['t'.repeat(513)]), 'audience'],
  'more than 500': [
    withAudience(
      hello,
      'tag',
      Array.from({ length: 501 }, (_, i) => `tag ${i}`),
    ),
    'audience',
  ],
  'nothing to show': [withAudience(emptyDraft, 'all'), 'message'],
  'a badge that is no number': [draftWith({ 'message.badge': '-1' }), 'message.badge'],
  'an address that is none': [
    draftWith({ 'message.attachment_url': 'ftp://example.com/a.png' }),
    'message.attachment_url',
  ],
  'an address that is too long': [
    draftWith({ 'message.attachment_url': `https://example.com/${'a'.repeat(2048)}` }),
    'message.attachment_url',
  ],
  'an image without a picture': [draftWith({ 'message.type': 'image' }), 'message.attachment_url'],
  'a film as a picture': [
    draftWith({ 'message.type': 'image', 'message.attachment_url': 'https://example.com/a.mp4' }),
    'message.attachment_url',
  ],
  'data that are no object': [draftWith({ 'message.ext': '[1]' }), 'message.ext'],
  'data of 32 levels': [draftWith({ 'message.ext': deep(32) }), 'message'],
  'a message over 64 KiB': [draftWith({ 'message.body': '钟'.repeat(22_000) }), 'message'],
  'an end that has passed': [draftWith({ 'message.show_end_time': past }), 'message.show_end_time'],
  'an end before the beginning': [
    draftWith({ 'message.show_begin_time': later, 'message.show_end_time': soon }),
    'message.show_end_time',
  ],
  'a life that is too long': [draftWith({ 'setting.time_to_live': '2592001' }), 'setting.time_to_live'],
  'a collapse id of 65 bytes': [draftWith({ 'setting.collapse_id': 'c'.repeat(65) }), 'setting.collapse_id'],
  'a collapse id of 22 characters that take 66 bytes': [
    draftWith({ 'setting.collapse_id': '钟'.repeat(22) }),
    'setting.collapse_id',
  ],
  'a request id of 129': [draftWith({ 'setting.request_id': 'r'.repeat(129) }), 'setting.request_id'],
  'a click without its intent': [draftWith({ 'message.honor.click_action': 'intent' }), 'message.honor.intent'],
  'an intent without a component': [
    draftWith({ 'message.android.click_action': 'intent', 'message.android.intent': 'intent:#Intent;end' }),
    'message.android.intent',
  ],
  'a vendor’s intent, held to the click of android': [
    draftWith({
      'message.android.click_action': 'intent',
      'message.android.intent': intent,
      'message.xiaomi.intent': 'myapp://page',
    }),
    'message.xiaomi.intent',
  ],
}

for (const [what, draft] of Object.entries(good)) {
  test(`${what}: the form and the protocol both take it`, (t) => {
    t.assert.deepEqual(problemsOf(draft, NOW), [])
    t.assert.equal(refused(draft), undefined)
  })
}

for (const [what, [draft, path]] of Object.entries(bad)) {
  test(`${what}: the form says so at the field that the protocol would name`, (t) => {
    t.assert.deepEqual(
      problemsOf(draft, NOW).map((problem) => problem.path),
      [path],
    )
    t.assert.equal(refused(draft)?.slice(0, path.length), path)
  })
}

test('JSON that is none is told with its place, not sent', (t) => {
  const [problem] = problemsOf(draftWith({ 'message.ext': '{\n  "a": 1,\n  "a": 2\n}' }), NOW)
  t.assert.equal(problem?.kind, 'notJson')
  t.assert.match(problem?.with ?? '', /^3:3 a key that its object already has$/)
})

test('a time to send at that has passed is a mistake, though the server would send at once', (t) => {
  const draft = draftWith({ 'setting.send_time': past })
  t.assert.deepEqual(
    problemsOf(draft, NOW).map(({ kind }) => kind),
    ['timePassed'],
  )
})
