import { test } from 'node:test'
import { parseExactly } from '@carillon/protocol/exact-json.ts'
import { writeText } from './json-text.ts'
import { readRequest } from './read-request.ts'
import { requestOf } from './request.ts'

const everything = `{
  "audience": {"user_id": [7, 9007199254740993]},
  "message": {
    "type": "image", "title": " Hello ", "body": "b", "big_text": "bb",
    "attachment_url": "https://example.com/a.png", "badge": "+1",
    "ext": {"order": 12345678901234567890, "share": 0.10, "list": [1, {"deep": null}]},
    "show_begin_time": 1800000000, "show_end_time": 1800003600,
    "ios": {"subtitle": "s", "content_available": false, "mutable_content": true, "apns_collapse_id": "c"},
    "android": {
      "sound": "bell", "channel_id": "news", "click_action": "intent", "intent": "intent:#Intent;component=a/b;end"
    },
    "huawei": {"badge_class": "com.example.Main"}, "vivo": {"push_mode": 1, "classification": 0}
  },
  "setting": {
    "request_id": "r1", "distribution_strategy": "ospush_only", "ospush_sequence": ["fcm", "ups"], "time_to_live": 0,
    "send_time": 1800000000, "priority": "high", "collapse_id": "c", "dry_run": true
  }
}`

test('a request goes into the form and comes out the same, to the last digit', (t) => {
  const { draft, left } = readRequest(parseExactly(everything))
  t.assert.deepEqual(left, [])
  const again = writeText(requestOf(draft))
  t.assert.deepEqual(parseExactly(again), parseExactly(everything))
})

test('what the form has no place for is named', (t) => {
  const { draft, left } = readRequest({
    audience: { tag: ['a', 5, 'a'] },
    colour: 'red',
    message: { title: 7, body: 'b', ios: { sound: 'x', badge: 1 }, huawei: 'no' },
    setting: { priority: 'urgent' },
  })
  t.assert.deepEqual(left.toSorted(), [
    'audience.tag[1]',
    'colour',
    'message.huawei',
    'message.ios.badge',
    'message.title',
    'setting.priority',
  ])
  t.assert.deepEqual(requestOf(draft), { audience: { tag: ['a'] }, message: { body: 'b', ios: { sound: 'x' } } })
})

test('two kinds of audience at once are not guessed between', (t) => {
  t.assert.deepEqual(readRequest({ audience: { tag: ['a'], alias: ['b'] }, message: {} }).left, ['audience'])
})
