import test, { type TestContext } from 'node:test'
import { Refused, type ErrorName } from './errors.ts'
import { parseJson } from './json.ts'
import { vendorNames } from './names.ts'
import type { Notify } from './notify.ts'
import { readNotify } from './read-notify.ts'

const NOW = 1_800_000_000_000
const SECOND = NOW / 1000

const parse = (text: string): unknown => parseJson(new TextEncoder().encode(text))

/** Something to show that is not the field in question. */
const filler = (path: string) => (path === 'message.title' ? { body: 'hello' } : { title: 'hello' })

/** Sets a field by its path in a body that is good without it, as JSON text: numbers arrive as a caller wrote them. */
const bodyWith = (path: string, json: string): unknown => {
  const wrapped = path
    .split('.')
    .slice(1)
    .reduceRight((inner, key) => `{${JSON.stringify(key)}:${inner}}`, json)
  const [top] = path.split('.')
  const value = parse(wrapped) as object
  const body: Record<string, unknown> = { audience: 'all', message: { title: 'hello' } }
  body[top!] = top === 'message' && path !== 'message' ? { ...filler(path), ...value } : value
  return body
}

const fieldOf = (notify: Notify, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], notify)

const readWith = (path: string, json: string): unknown => fieldOf(readNotify(bodyWith(path, json), { now: NOW }), path)

const refused = (path: string, kind: ErrorName = 'badParameter') => (problem: unknown) =>
  problem instanceof Refused && problem.kind === kind && problem.message.startsWith(`${path} `)

const blanks = ['null', '""', '"  "', '"\\u3000\\n"', '{}', '[]']
const everyType: Record<string, string> = {
  string: '"text-that-is-no-choice"',
  integer: '1',
  fraction: '1.5',
  wholeFraction: '1.0',
  exponent: '1e3',
  boolean: 'true',
  list: '[1]',
  object: '{"a":1}',
}
const text = (length: number) => JSON.stringify('a'.repeat(length))

interface Field {
  path: string
  /** The types of everyType that it takes. */
  takes: (keyof typeof everyType)[]
  good: string[]
  bad?: string[]
}

const freeText = (path: string): Field => ({ path, takes: ['string'], good: ['" exact bytes "', '"😀"', text(10_000)] })
const flag = (path: string): Field => ({ path, takes: ['boolean'], good: ['true', 'false'] })
const zeroOrOne = (path: string): Field => ({
  path,
  takes: ['integer'],
  good: ['0', '1'],
  bad: ['2', '-1', '-0', '"1"'],
})
const collapseId = (path: string): Field => ({
  path,
  takes: ['string'],
  good: [text(64), JSON.stringify('é'.repeat(32))],
  bad: [text(65), JSON.stringify('é'.repeat(33))],
})
const beyondTime = [
  '-1', '253402300800', '9007199254740991', '9007199254740992', '9007199254740993', '9223372036854775807',
  '9223372036854775808', '-0', '"1"',
]

const vendorObjects = ['android', ...vendorNames.filter((name) => name !== 'apns')]
const goodIntent = 'intent:#Intent;component=com.example.app/com.example.app.Chat;S.room=42;end'

const fields: Field[] = [
  {
    path: 'setting.request_id',
    takes: ['string'],
    good: [text(128), JSON.stringify('😀'.repeat(128))],
    bad: [text(129), JSON.stringify('😀'.repeat(129))],
  },
  {
    path: 'setting.distribution_strategy',
    takes: [],
    good: ['"combined"', '"nativepush_only"', '"ospush_only"'],
    bad: ['"Combined"', '"combined "'],
  },
  {
    path: 'setting.ospush_sequence',
    takes: [],
    good: ['["ups"]', '["fcm","huawei","xiaomi","oppo","vivo","meizu","honor","flyme","ups"]'],
  },
  { path: 'setting.time_to_live', takes: ['integer'], good: ['0', '2592000'], bad: ['-1', '2592001', '-0', '"1"'] },
  { path: 'setting.send_time', takes: ['integer'], good: ['0', '253402300799'], bad: beyondTime },
  { path: 'setting.priority', takes: [], good: ['"normal"', '"high"'], bad: ['"HIGH"'] },
  collapseId('setting.collapse_id'),
  flag('setting.dry_run'),
  { path: 'message.type', takes: [], good: ['"text"', '"cmd"'], bad: ['"Text"'] },
  freeText('message.title'),
  freeText('message.body'),
  freeText('message.big_text'),
  {
    path: 'message.attachment_url',
    takes: [],
    good: ['"https://example.com/a.mp4"', '"HTTP://example.com"', JSON.stringify('http://a/' + 'b'.repeat(2039))],
    bad: [
      '"ftp://example.com/a.jpg"', '"//example.com/a.jpg"', '"/a.jpg"', '"javascript:alert(1)"', '"data:image/png,x"',
      '"http://"', '"http://a b/"', '" http://a/"', '"http://a/\\n"', '"http:a"', '"https://["',
      JSON.stringify('http://a/' + 'b'.repeat(2040)),
    ],
  },
  {
    path: 'message.badge',
    takes: [],
    good: ['"0"', '"7"', '"+1"', '"007"', '"999999999"', '"+999999999"'],
    bad: ['"1234567890"', '"+"', '"-1"', '"++1"', '"1.0"', '" 1"', '"1 "', '"1\\n"', '"１"'],
  },
  { path: 'message.ext', takes: ['object'], good: ['{"a":null}', '{"a":{}}', '{"n":[1.0,1e3,9223372036854775808]}'] },
  { path: 'message.show_begin_time', takes: ['integer'], good: ['0', '253402300799'], bad: beyondTime },
  {
    path: 'message.show_end_time',
    takes: [],
    good: [`${SECOND + 1}`, '253402300799'],
    bad: [...beyondTime, `${SECOND}`],
  },
  freeText('message.ios.sound'),
  flag('message.ios.content_available'),
  flag('message.ios.mutable_content'),
  freeText('message.ios.category'),
  freeText('message.ios.thread_id'),
  freeText('message.ios.subtitle'),
  collapseId('message.ios.apns_collapse_id'),
  ...vendorObjects.flatMap((vendor): Field[] => [
    freeText(`message.${vendor}.sound`),
    freeText(`message.${vendor}.channel_id`),
    { path: `message.${vendor}.click_action`, takes: [], good: ['"open_app"'], bad: ['"url"'] },
    freeText(`message.${vendor}.intent`),
  ]),
  freeText('message.huawei.badge_class'),
  freeText('message.honor.badge_class'),
  zeroOrOne('message.vivo.push_mode'),
  zeroOrOne('message.vivo.classification'),
  ...['ios', ...vendorObjects].map((name): Field => ({ path: `message.${name}`, takes: [], good: ['{"sound":"x"}'] })),
]

for (const { path, takes, good, bad = [] } of fields) {
  test(`${path}: blank is absent, good is kept, wrong is refused by its path`, (t: TestContext) => {
    for (const blank of blanks) t.assert.strictEqual(readWith(path, blank), undefined, blank)
    for (const json of good) {
      t.assert.strictEqual(JSON.stringify(readWith(path, json)), JSON.stringify(parse(json)), json)
    }
    // An object of unknown fields alone is well-typed for an object field, and reads as absent.
    const holdsFields = path.split('.').length === 2 && ['ios', ...vendorObjects].includes(path.split('.')[1]!)
    for (const [type, json] of Object.entries(everyType)) {
      if (takes.includes(type)) t.assert.doesNotThrow(() => readWith(path, json), json)
      else if (type === 'object' && holdsFields) t.assert.strictEqual(readWith(path, json), undefined)
      else {
        const named = type === 'list' && path.endsWith('sequence') ? `${path}[0]` : path
        t.assert.throws(() => readWith(path, json), refused(named), `${path} ${json}`)
      }
    }
    for (const json of bad) t.assert.throws(() => readWith(path, json), refused(path), `${path} ${json.slice(0, 60)}`)
  })
}

test('audience and message are required, setting is not, and a body must be an object', (t: TestContext) => {
  for (const blank of blanks) {
    t.assert.throws(() => readWith('audience', blank), refused('audience'))
    t.assert.throws(() => readWith('message', blank), refused('message'))
    t.assert.strictEqual(readWith('setting', blank), undefined)
  }
  for (const body of ['[]', '[1]', '"all"', '1', '1.5', 'true']) {
    t.assert.throws(() => readNotify(parse(body), { now: NOW }), refused('body'), body)
  }
  t.assert.throws(() => readNotify(undefined, { now: NOW }), refused('audience'))
  for (const json of Object.values(everyType)) {
    t.assert.throws(() => readWith('message', json), refused('message'), json)
    if (json !== everyType['object']) t.assert.throws(() => readWith('setting', json), refused('setting'), json)
  }
})

test('an audience is all or exactly one of its four lists', (t: TestContext) => {
  const good: [string, unknown][] = [
    ['"all"', 'all'],
    ['{"tag":["a","b","a"]}', { tag: ['a', 'b'] }],
    ['{"alias":["a"],"tag":[],"user_id":null,"push_token":""}', { alias: ['a'] }],
    ['{"push_token":["x"]}', { push_token: ['x'] }],
    ['{"user_id":[1,2,1]}', { user_id: [1, 2] }],
  ]
  for (const [json, expected] of good) t.assert.deepStrictEqual(readWith('audience', json), expected)
  const bad: [string, string][] = [
    ['"ALL"', 'audience'],
    ['"everyone"', 'audience'],
    ['1', 'audience'],
    ['1.5', 'audience'],
    ['true', 'audience'],
    ['["all"]', 'audience'],
    ['{"tag":[]}', 'audience'],
    ['{"tag":["a"],"alias":["b"]}', 'audience'],
    ['{"tags":["a"]}', 'audience.tags'],
    ['{"tag":["a"],"tags":["a"]}', 'audience.tags'],
    ['{"tag":"a"}', 'audience.tag'],
    ['{"tag":{"0":"a"}}', 'audience.tag'],
    ['{"tag":["a",1]}', 'audience.tag[1]'],
    ['{"tag":["a","b","c"," "]}', 'audience.tag[3]'],
    ['{"alias":[["a"]]}', 'audience.alias[0]'],
    ['{"user_id":7}', 'audience.user_id'],
    ['{"user_id":["7"]}', 'audience.user_id[0]'],
    ['{"user_id":[1,null]}', 'audience.user_id[1]'],
    [`{"tag":[${text(129)}]}`, 'audience.tag[0]'],
  ]
  for (const [json, path] of bad) t.assert.throws(() => readWith('audience', json), refused(path), json.slice(0, 60))
})

test('each list of an audience takes 500 items and no more', (t: TestContext) => {
  for (const key of ['tag', 'alias', 'user_id', 'push_token']) {
    const items = (count: number) => Array.from({ length: count }, (_, i) => (key === 'user_id' ? i : `x${i}`))
    const read = (count: number) => readWith('audience', JSON.stringify({ [key]: items(count) }))
    t.assert.deepStrictEqual(read(500), { [key]: items(500) })
    t.assert.throws(() => read(501), refused(`audience.${key}`, 'listTooLong'))
  }
})

test('user ids of an audience are exact up to int64', (t: TestContext) => {
  const read = (json: string) => (readWith('audience', `{"user_id":[${json}]}`) as { user_id: unknown[] }).user_id[0]
  const good: [string, number | bigint][] = [
    ['0', 0],
    ['-1', -1],
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['9007199254740993', 9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
  ]
  for (const [json, id] of good) t.assert.strictEqual(read(json), id)
  for (const json of ['9223372036854775808', '1.5', '1.0', '1e3', '1.00000000000000000001', '-0', 'true', '[1]']) {
    t.assert.throws(() => read(json), refused('audience.user_id[0]'), json)
  }
})

test('an unknown key is repeated to its caller only so far', (t: TestContext) => {
  t.assert.throws(
    () => readWith('audience', `{${text(1_000_000)}:1}`),
    (problem: Error) => problem instanceof Refused && problem.message.length < 200,
  )
})

test('a message must hold something to show or to pass', (t: TestContext) => {
  const read = (message: object) => readNotify({ audience: 'all', message }, { now: NOW })
  const enough = [
    { body: 'x' }, { big_text: 'x' }, { attachment_url: 'http://a/b' }, { ext: { a: null } }, { badge: '0' },
    { ios: { content_available: true } }, { ios: { content_available: false } }, { type: 'cmd', ext: { a: 1 } },
  ]
  for (const message of enough) t.assert.doesNotThrow(() => read(message), JSON.stringify(message))
  const empty = [
    { type: 'text' }, { title: ' ', body: '' }, { ios: { sound: 'x' } }, { unknown: 1 }, { show_begin_time: 5 },
  ]
  for (const message of empty) t.assert.throws(() => read(message), refused('message'), JSON.stringify(message))
})

test('an image needs the address of a .jpg, .jpeg or .png', (t: TestContext) => {
  const read = (attachment_url: unknown) =>
    readNotify({ audience: 'all', message: { type: 'image', title: 'x', attachment_url } }, { now: NOW })
  const good = ['http://a/b.jpg', 'https://a/b.JPEG?x=1#y', 'https://a/b/c.Png']
  for (const url of good) t.assert.doesNotThrow(() => read(url), url)
  const bad = ['https://a/b.gif', 'https://a/b?c=.jpg', 'https://a/b#.jpg', 'https://a.jpg', 'https://a/b.jpg/']
  for (const url of [undefined, '', ...bad]) {
    t.assert.throws(() => read(url), refused('message.attachment_url'), String(url))
  }
})

test('show_end_time is in the future and after show_begin_time', (t: TestContext) => {
  const read = (show_begin_time: number, show_end_time: number) =>
    readNotify({ audience: 'all', message: { title: 'x', show_begin_time, show_end_time } }, { now: NOW })
  t.assert.doesNotThrow(() => read(SECOND - 10, SECOND + 10))
  t.assert.doesNotThrow(() => read(SECOND + 10, SECOND + 11))
  for (const [begin, end] of [[SECOND - 10, SECOND], [SECOND + 10, SECOND + 10], [SECOND + 10, SECOND + 5]] as const) {
    t.assert.throws(() => read(begin, end), refused('message.show_end_time'))
  }
})

test('click_action intent needs a well-formed intent in the same object', (t: TestContext) => {
  for (const vendor of vendorObjects) {
    const read = (options: object, android?: object) =>
      readNotify({ audience: 'all', message: { title: 'x', android, [vendor]: options } }, { now: NOW })
    t.assert.doesNotThrow(() => read({ click_action: 'intent', intent: goodIntent }))
    t.assert.doesNotThrow(() => read({ click_action: 'open_app', intent: 'anything' }))
    for (const intent of [undefined, null, '', '  ', {}, 'intent:#Intent;end', `${goodIntent};`]) {
      t.assert.throws(() => read({ click_action: 'intent', intent }), refused(`message.${vendor}.intent`))
    }
    if (vendor === 'android') continue
    const android = { click_action: 'intent', intent: goodIntent }
    t.assert.doesNotThrow(() => read({ sound: 'x' }, android))
    t.assert.throws(() => read({ intent: 'bad' }, android), refused(`message.${vendor}.intent`))
    t.assert.doesNotThrow(() => read({ click_action: 'open_app', intent: 'unused' }, android))
  }
})

test('a message takes 64 KiB of JSON and no byte more', (t: TestContext) => {
  const read = (body: string) => readNotify({ audience: 'all', message: { body } }, { now: NOW })
  const frame = Buffer.byteLength(JSON.stringify({ body: '' }))
  const room = 64 * 1024 - frame
  t.assert.doesNotThrow(() => read('a'.repeat(room)))
  t.assert.throws(() => read('a'.repeat(room + 1)), refused('message'))
  t.assert.doesNotThrow(() => read('中'.repeat(Math.floor(room / 3))))
  t.assert.throws(() => read('中'.repeat(Math.floor(room / 3) + 1)), refused('message'))
})

test('a message is at most 32 levels deep, itself the first', (t: TestContext) => {
  const read = (levels: number) => readWith('message.ext', '{"a":'.repeat(levels - 2) + '[]' + '}'.repeat(levels - 2))
  t.assert.doesNotThrow(() => read(32))
  t.assert.throws(() => read(33), refused('message'))
  const number = '{"a":'.repeat(31) + '1.5' + '}'.repeat(31)
  t.assert.doesNotThrow(() => readWith('message.ext', number), 'a number is no level')
})

test('ext is written on exactly as it came, big numbers and odd keys included', (t: TestContext) => {
  const ext = '{"id":9223372036854775808,"x":1.0,"y":-0,"e":1E5,"__proto__":{"z":1},"blank":"","list":[]}'
  t.assert.strictEqual(JSON.stringify(readWith('message.ext', ext)), ext)
})

test('unknown fields are left out everywhere but in the audience', (t: TestContext) => {
  const body = parse(`{"audience":"all","newer":1,"setting":{"dry_run":true,"newer":{"a":1}},
    "message":{"title":"x","newer":[1],"android":{"sound":"y","badge_class":"z"},"ios":{"newer":1}}}`)
  t.assert.deepStrictEqual(readNotify(body, { now: NOW }), {
    audience: 'all',
    setting: { dry_run: true },
    message: { title: 'x', android: { sound: 'y' } },
  })
})
