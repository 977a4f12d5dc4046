import assert from 'node:assert/strict'
import { once } from 'node:events'
import test, { after, suite } from 'node:test'
import { type CallOptions, type Envelope, startCarillon } from './harness/carillon.ts'
import { connectDevice } from './harness/device.ts'
import { ask, requestBytes, type WireAnswer } from './harness/raw-http.ts'
import { assertRefused } from './harness/refusal.ts'

const carillon = await startCarillon({ after })
const { admin } = carillon

/** The tasks that were accepted here; at the end there must be no other one. */
const accepted: number[] = []

const send = (body: string, options: CallOptions = {}) => carillon.call(
  '/push/notify',
  { method: 'POST', token: admin, body, ...options },
)

const assertAccepted = (answer: Envelope, about: string): void => {
  assert.equal(answer.code, 200, `${about}: ${answer.message}`)
  assert.ok(Number.isSafeInteger(answer.data.task_id), about)
  accepted.push(answer.data.task_id)
}

const base = { audience: { alias: ['nobody'] }, message: { title: 'Title', body: 'Body' }, setting: {} }

/** The body with this text of JSON at a path; undefined leaves the field out. */
const bodyWith = (path: string, json: string | undefined, beside: object = {}): string => {
  const body = structuredClone(base) as Record<string, unknown>
  for (const [key, value] of Object.entries(beside)) body[key] = { ...(body[key] as object), ...value }
  const keys = path.split('.')
  const last = keys.pop()!
  let place = body
  for (const key of keys) place = (place[key] = { ...(place[key] as object) }) as Record<string, unknown>
  if (json === undefined) delete place[last]
  else place[last] = '@here@'
  return JSON.stringify(body).replace('"@here@"', () => json ?? '')
}

const quoted = (text: string): string => JSON.stringify(text)
const listOf = (count: number, item: (i: number) => string): string =>
  `[${Array.from({ length: count }, (_, i) => item(i)).join()}]`

const blanks = [undefined, 'null', '""', '"  "', '"\\t\\n"', '{}', '[]']
const notText = ['1', '-1', '1.5', '0', 'true', 'false', '["a"]', '{"a":1}', '12345678901234567890']
const notObject = ['"x"', '1', 'true', '[1]', '["a"]']
const notBoolean = ['"true"', '0', '1', '["a"]', '{"a":1}']
const notInteger = ['"1"', 'true', '1.5', '1.0', '1e3', '1E0', '1.00000000000000000001', '[1]', '{"a":1}']
/** Understood exactly, and outside of every time and every length there is. */
const farOut = [
  '-1',
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
]

const LAST_SECOND = 253_402_300_799
const now = Math.floor(Date.now() / 1000)
const intent = 'intent:#Intent;component=com.example.app/.Main;S.page=1;end'

interface Field {
  path: string
  /** JSON texts that are accepted. */
  takes: string[]
  /** JSON texts that are refused by the field's path. */
  refuses: string[]
  /** What has to stand beside it to be looked at. */
  beside?: object
}

const freeText = (path: string): Field => ({
  path,
  takes: ['"a"', '" a "', quoted('é'.repeat(200)), '"\\u0041\\"\\\\\\n"'],
  refuses: notText,
})

const limitedBytes = (path: string): Field => ({
  path,
  takes: [quoted('x'.repeat(64)), quoted('é'.repeat(32)), quoted('🔔'.repeat(16))],
  refuses: [quoted('x'.repeat(65)), quoted('é'.repeat(33)), quoted('🔔'.repeat(17)), ...notText],
})

const oneOf = (path: string, words: string[], beside?: object): Field => ({
  path,
  takes: words.map(quoted),
  refuses: ['"other"', quoted(words[0]!.toUpperCase()), quoted(`${words[0]} `), ...notText],
  ...(beside && { beside }),
})

const boolean = (path: string): Field => ({ path, takes: ['true', 'false'], refuses: notBoolean })

const seconds = (path: string): Field => ({
  path,
  takes: ['0', String(now), String(LAST_SECOND)],
  refuses: [String(LAST_SECOND + 1), `${now}000`, ...farOut, ...notInteger],
})

const switchOf = (path: string): Field => ({
  path,
  takes: ['0', '1'],
  refuses: ['2', '-1', '"0"', 'true', '1.0', '0.0', '1e0', '[1]'],
})

const object = (path: string): Field => ({ path, takes: ['{"unknown":1}'], refuses: notObject })

const sharedOptions = (holder: string): Field[] => [
  object(`message.${holder}`),
  freeText(`message.${holder}.sound`),
  freeText(`message.${holder}.channel_id`),
  oneOf(`message.${holder}.click_action`, ['open_app', 'intent'], { message: { [holder]: { intent } } }),
  { path: `message.${holder}.intent`, takes: ['"any text, while no click_action asks for it"'], refuses: notText },
]

const optional: Field[] = [
  { path: 'setting', takes: ['{"unknown":1}'], refuses: notObject },
  {
    path: 'setting.request_id',
    takes: ['"a"', '" a "', quoted('x'.repeat(128)), quoted('🔔'.repeat(128))],
    refuses: [quoted('x'.repeat(129)), quoted('🔔'.repeat(129)), ...notText],
  },
  oneOf('setting.distribution_strategy', ['combined', 'nativepush_only', 'ospush_only']),
  { path: 'setting.time_to_live', takes: ['0', '1', '2592000'], refuses: ['2592001', ...farOut, ...notInteger] },
  seconds('setting.send_time'),
  oneOf('setting.priority', ['normal', 'high']),
  limitedBytes('setting.collapse_id'),
  boolean('setting.dry_run'),
  oneOf('message.type', ['text', 'image', 'cmd'], { message: { attachment_url: 'https://example.com/a.png' } }),
  freeText('message.title'),
  freeText('message.body'),
  freeText('message.big_text'),
  {
    path: 'message.attachment_url',
    takes: [
      '"http://example.com"',
      '"HTTPS://example.com/a.mp4?b=c#d"',
      quoted(`https://example.com/${'a'.repeat(2028)}`),
    ],
    refuses: [
      quoted(`https://example.com/${'a'.repeat(2029)}`),
      ...[
        'ftp://example.com/a', 'javascript:alert(1)', 'file:///etc/passwd', '//example.com/a', 'example.com/a.png',
        'https://', 'https://a b/c',
      ].map(quoted),
      ...notText,
    ],
  },
  {
    path: 'message.badge',
    takes: ['0', '7', '007', '+0', '+1', '999999999', '+999999999'].map(quoted),
    refuses: [
      ...['1000000000', '+', '++1', '-1', ' 1', '1 ', '1.5', '1e3', '٣', '0x1', '１'].map(quoted),
      ...notText,
    ],
  },
  { path: 'message.ext', takes: ['{"a":null}', '{"a":{"b":[1,"c",true]}}'], refuses: notObject },
  seconds('message.show_begin_time'),
  {
    path: 'message.show_end_time',
    takes: [String(now + 86_400), String(LAST_SECOND)],
    refuses: ['0', String(now - 60), String(LAST_SECOND + 1), ...farOut, ...notInteger],
  },
  object('message.ios'),
  ...['sound', 'category', 'thread_id', 'subtitle'].map((name) => freeText(`message.ios.${name}`)),
  boolean('message.ios.content_available'),
  boolean('message.ios.mutable_content'),
  limitedBytes('message.ios.apns_collapse_id'),
  ...['android', 'huawei', 'xiaomi', 'oppo', 'vivo', 'flyme', 'fcm', 'honor'].flatMap(sharedOptions),
  freeText('message.huawei.badge_class'),
  freeText('message.honor.badge_class'),
  switchOf('message.vivo.push_mode'),
  switchOf('message.vivo.classification'),
]

suite('every optional field: blank is absent, what fits is taken, what does not is refused by its path', () => {
  for (const { path, takes, refuses, beside } of optional) {
    test(path, async () => {
      // A click_action that asks for an intent needs it; blank, it asks for nothing.
      for (const json of [...blanks, ...takes]) {
        assertAccepted(await send(bodyWith(path, json, beside)), `${path} = ${json}`)
      }
      for (const json of refuses) assertRefused(await send(bodyWith(path, json, beside)), 10002, 400, path)
    })
  }

  test('setting.ospush_sequence', async () => {
    const path = 'setting.ospush_sequence'
    const words = ['ups', 'fcm', 'huawei', 'xiaomi', 'oppo', 'vivo', 'meizu', 'flyme', 'honor']
    const takes = [
      ...words.map((word) => quoted(word)).map((word) => `[${word}]`),
      JSON.stringify(words),
      listOf(500, () => '"ups"'),
    ]
    for (const json of [...blanks, ...takes]) assertAccepted(await send(bodyWith(path, json)), `${path} = ${json}`)
    for (const json of ['"ups"', '1', 'true', '{"ups":1}']) {
      assertRefused(await send(bodyWith(path, json)), 10002, 400, path)
    }
    for (const item of ['"apns"', '"UPS"', '""', 'null', '1', '["ups"]'])
      assertRefused(await send(bodyWith(path, `["ups",${item}]`)), 10002, 400, `${path}[1]`)
    assertRefused(await send(bodyWith(path, listOf(501, () => '"ups"'))), 12005, 400, path)
  })
})

suite('audience and message must be there, and not blank', () => {
  for (const path of ['audience', 'message']) {
    test(path, async () => {
      for (const json of blanks) assertRefused(await send(bodyWith(path, json)), 10002, 400, path)
      for (const json of ['"everybody"', '1', 'true', '["all"]']) {
        assertRefused(await send(bodyWith(path, json)), 10002, 400, path)
      }
    })
  }

  test('a message of nothing but blank and unknown fields holds nothing', async () => {
    const nothing = ['{"title":" ","body":null,"ext":{}}', '{"unknown":"x"}', '{"type":"cmd"}', '{"ios":{"sound":"a"}}']
    for (const json of nothing) assertRefused(await send(bodyWith('message', json)), 10002, 400, 'message')
  })

  test('one thing to show or to pass is enough', async () => {
    const contents = {
      title: '"a"',
      body: '"a"',
      big_text: '"a"',
      attachment_url: '"https://example.com/a"',
      ext: '{"a":1}',
      badge: '"1"',
      ios: '{"content_available":true}',
    }
    for (const [name, json] of Object.entries(contents)) {
      assertAccepted(await send(bodyWith('message', `{"${name}":${json}}`)), name)
    }
  })
})

suite('audience asks by exactly one key', () => {
  test('all, or one of four keys; blank ones beside it do not count', async () => {
    const blankBeside = '{"tag":["a"],"alias":[],"user_id":null,"push_token":""}'
    for (const json of ['"all"', blankBeside, '{"user_id":[1]}', '{"push_token":["a"]}']) {
      assertAccepted(await send(bodyWith('audience', json)), json)
    }
  })

  test('none, two, or one that is not known', async () => {
    for (const json of ['{"tag":[]}', '{"tag":null,"alias":""}', '{"tag":["a"],"alias":["b"]}']) {
      assertRefused(await send(bodyWith('audience', json)), 10002, 400, 'audience')
    }
    for (const json of ['{"tags":["a"]}', '{"tag":["a"],"tags":["b"]}', '{"tag":["a"],"tags":null}'])
      assertRefused(await send(bodyWith('audience', json)), 10002, 400, 'audience.tags')
  })

  for (const [key, limit] of Object.entries({ tag: 128, alias: 128, push_token: 512 })) {
    test(`${key}: 1 to 500 texts of 1 to ${limit} characters`, async () => {
      const path = `audience.${key}`
      const asks = (json: string) => send(bodyWith('audience', `{"${key}":${json}}`))
      const longest = `[${quoted('🔔'.repeat(limit))}]`
      for (const json of ['["a"]', '[" a "]', '["a","a"]', longest, listOf(500, (i) => `"${i}"`)]) {
        assertAccepted(await asks(json), json)
      }
      for (const json of ['"a"', '1', 'true', '{"a":1}']) assertRefused(await asks(json), 10002, 400, path)
      const wrongItems = [
        ...notText, 'null', '""', '" "', '[]', '{}', quoted('x'.repeat(limit + 1)), quoted('🔔'.repeat(limit + 1)),
      ]
      for (const item of wrongItems) assertRefused(await asks(`["a",${item}]`), 10002, 400, `${path}[1]`)
      assertRefused(await asks(listOf(501, (i) => `"${i}"`)), 12005, 400, path)
    })
  }

  test('user_id: 1 to 500 integers of 64 bits, exact', async () => {
    const path = 'audience.user_id'
    const asks = (json: string) => send(bodyWith('audience', `{"user_id":${json}}`))
    const fits = [
      '1', '0', '-1', '9007199254740991', '9007199254740992', '9007199254740993', '9223372036854775807',
      '-9223372036854775808',
    ]
    for (const json of fits) assertAccepted(await asks(`[${json}]`), json)
    assertAccepted(await asks(listOf(500, (i) => String(i + 1))), '500 ids')
    const beyond = ['9223372036854775808', '-9223372036854775809', '18446744073709551616', '1'.repeat(400)]
    for (const json of [...beyond, ...notInteger, 'null', '""', '1e400', '-1.0'])
      assertRefused(await asks(`[1,${json}]`), 10002, 400, `${path}[1]`)
    for (const json of ['1', '"1"', 'true', '{"a":1}']) assertRefused(await asks(json), 10002, 400, path)
    assertRefused(await asks(listOf(501, (i) => String(i + 1))), 12005, 400, path)
  })
})

suite('rules between fields', () => {
  test('an image has an address that ends like one', async () => {
    const image = (url: string) => send(
      bodyWith('message', JSON.stringify({ type: 'image', title: 'a', attachment_url: url })),
    )
    for (const url of ['https://a.example/a.png', 'http://a.example/a.JPG', 'https://a.example/a.jpeg?size=1#x']) {
      assertAccepted(await image(url), url)
    }
    const wrong = ['https://a.example/a.gif', 'https://a.example/a?b=.png', 'https://a.example/a.png/', 'ftp://a/a.png']
    for (const url of wrong) assertRefused(await image(url), 10002, 400, 'message.attachment_url')
  })

  test('a click that opens a page says which', async () => {
    for (const holder of ['android', 'huawei', 'xiaomi', 'oppo', 'vivo', 'flyme', 'fcm', 'honor']) {
      const click = (json: string | undefined) => send(
        bodyWith(`message.${holder}.intent`, json, { message: { [holder]: { click_action: 'intent' } } }),
      )
      for (const json of [intent, 'intent://a/b?c#Intent;scheme=x;component=a/b;end'].map(quoted)) {
        assertAccepted(await click(json), json)
      }
      const wrong = [
        'com.example.app/.Main',
        'intent:#Intent;end',
        'intent:#Intent;component=a;end',
        'intent:#Intent;component=a/b;component=a/b;end',
        `${intent};`,
        intent.slice(0, -3),
      ]
      for (const json of [...blanks, ...wrong.map(quoted)]) {
        assertRefused(await click(json), 10002, 400, `message.${holder}.intent`)
      }
    }
  })

  test('what is shown ends after it began', async () => {
    const shown = (begin: number, end: number) => send(
      bodyWith('message.show_end_time', String(end), { message: { show_begin_time: begin } }),
    )
    assertAccepted(await shown(now + 100, now + 101), 'one second')
    for (const end of [now + 100, now + 99]) {
      assertRefused(await shown(now + 100, end), 10002, 400, 'message.show_end_time')
    }
  })

  test('a message has at most 64 KiB of JSON, blank and unknown fields included', async () => {
    const ofBytes = (bytes: number, field: string, letter = 'x') => {
      const empty = Buffer.byteLength(JSON.stringify({ title: 'a', [field]: '' }))
      const size = Buffer.byteLength(letter)
      const text = letter.repeat(Math.floor((bytes - empty) / size)) + 'y'.repeat((bytes - empty) % size)
      return send(bodyWith('message', JSON.stringify({ title: 'a', [field]: text })))
    }
    for (const field of ['body', 'unknown']) {
      assertAccepted(await ofBytes(65_536, field), field)
      assertRefused(await ofBytes(65_537, field), 10002, 400, 'message')
    }
    assertAccepted(await ofBytes(65_536, 'body', '鈴'), 'three bytes a letter')
    assertRefused(await ofBytes(65_537, 'body', '鈴'), 10002, 400, 'message')
  })

  test('a message is at most 32 levels deep', async () => {
    // The message is the first level and ext the second.
    const deep = (levels: number, open: string, close: string) =>
      send(bodyWith('message.ext', `{"a":${open.repeat(levels - 2)}1${close.repeat(levels - 2)}}`))
    for (const [open, close] of [['[', ']'], ['{"a":', '}']] as const) {
      assertAccepted(await deep(32, open, close), '32 levels')
      assertRefused(await deep(33, open, close), 10002, 400, 'message')
    }
  })
})

suite('bodies that parties would read differently are refused', () => {
  const refused: Record<string, string | Buffer> = {
    'two keys of one name': '{"audience":"all","audience":{"alias":["nobody"]},"message":{"title":"a"}}',
    'two keys of one name deep inside': bodyWith('message.ext', '{"a":{"b":1,"b":2}}'),
    'two keys of one name, one of them escaped': bodyWith('message.ext', '{"key":1,"k\\u0065y":2}'),
    'an escaped NUL in a text': bodyWith('message.title', '"a\\u0000b"'),
    'an escaped NUL in a key': bodyWith('message.ext', '{"a\\u0000":1}'),
    'a NUL byte': bodyWith('message.title', '"a\0b"'),
    'a line feed inside a text': bodyWith('message.title', '"a\nb"'),
    'the first half of a surrogate pair': bodyWith('message.title', '"\\ud83d"'),
    'the second half of a surrogate pair': bodyWith('message.title', '"\\udd14"'),
    'a surrogate pair the wrong way round': bodyWith('message.title', '"\\udd14\\ud83d"'),
    'half a pair in a key': bodyWith('message.ext', '{"\\ud83d":1}'),
    'bytes that are not UTF-8': Buffer.concat(
      [Buffer.from('{"audience":"all","message":{"title":"'), Buffer.of(0xc3, 0x28), Buffer.from('"}}')],
    ),
    'a surrogate written in UTF-8': Buffer.concat(
      [Buffer.from('{"audience":"all","message":{"title":"'), Buffer.of(0xed, 0xa0, 0x80), Buffer.from('"}}')],
    ),
    'a byte order mark': `\ufeff${JSON.stringify(base)}`,
    'nesting without end': `{"message":${'['.repeat(100_000)}`,
    'nesting that does end': `{"message":{"ext":{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}}}`,
    'something after the end': `${JSON.stringify(base)}{}`,
    'a comma too many': '{"audience":"all","message":{"title":"a"},}',
    'NaN': bodyWith('message.ext', '{"a":NaN}'),
    'a number with a leading zero': bodyWith('message.ext', '{"a":01}'),
    'a comment': '{/* */"audience":"all","message":{"title":"a"}}',
    'single quotes': "{'audience':'all'}",
    'white space alone': '   ',
  }
  for (const [what, body] of Object.entries(refused)) {
    test(what, async () => assertRefused(await raw([['content-type', 'application/json']], body), 10002, 400, 'body'))
  }

  for (const body of ['[]', '["all"]', '"all"', '1', 'true', 'null', '{}', ''])
    test(`${body || 'nothing'} as the whole body`, async () => {
      assertRefused(
        await raw([['content-type', 'application/json']], body),
        10002,
        400,
        /^(body must be an object|audience is required)/,
      )
    })

  test('a pair of surrogates, escaped or not, is one letter', async () => {
    for (const json of ['"\\ud83d\\udd14"', '"🔔"']) assertAccepted(await send(bodyWith('message.title', json)), json)
  })
})

type Headers = readonly (readonly [string, string])[]
const credentials: Headers = [['app_id', 'demo'], ['access-token', admin]]

const raw = (headers: Headers, body: string | Buffer, who: Headers = credentials) =>
  ask(carillon.port, requestBytes('POST', '/push/notify', [...who, ...headers], body)) as Promise<WireAnswer & Envelope>

const chunked = (body: string): string => `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`

suite('how a body is sent', () => {
  const padded = (bytes: number): string => JSON.stringify(base).padEnd(bytes)
  const json = ['content-type', 'application/json'] as const

  test('a body has at most 1 MiB, whether its length is told or not', async () => {
    for (const bytes of [2 ** 20 - 1, 2 ** 20]) {
      assertAccepted(await raw([json], padded(bytes)), `${bytes} bytes`)
      assertAccepted(
        await raw([json, ['transfer-encoding', 'chunked']], chunked(padded(bytes))),
        `${bytes} bytes in chunks`,
      )
    }
    assertRefused(await raw([json], padded(2 ** 20 + 1)), 41300, 413)
    assertRefused(await raw([json, ['transfer-encoding', 'chunked']], chunked(padded(2 ** 20 + 1))), 41300, 413)
  })

  test('JSON in UTF-8, however it is spelt', async () => {
    const ways = ['', '; charset=utf-8', ';charset="UTF-8"', '; charset=utf8'].map((more) => `application/json${more}`)
    for (const type of ['Application/JSON', ...ways]) {
      assertAccepted(await raw([['content-type', type]], JSON.stringify(base)), type)
    }
  })

  test('any other type, and no type at all', async () => {
    const types = [
      'text/plain', 'text/json', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=a',
      'application/json; charset=latin1', 'application/json, text/plain', 'application/ld+json', '*/*',
    ]
    for (const type of types) {
      assertRefused(await raw([['content-type', type]], JSON.stringify(base)), 41500, 415, /content-type/)
    }
    assertRefused(await raw([], JSON.stringify(base)), 41500, 415, /content-type/)
    for (const encoding of ['gzip', 'br', 'gzip, identity'])
      assertRefused(
        await raw([json, ['content-encoding', encoding]], JSON.stringify(base)),
        41500,
        415,
        /content-encoding/,
      )
  })

  test('a security header is sent once; its two spellings may agree', async () => {
    const body = JSON.stringify(base)
    for (const [name, value] of [...credentials, ['group_id', '1'], ['user_id', '1']] as const)
      for (const again of [name, name.toUpperCase()]) {
        const others = credentials.filter(([other]) => other !== name)
        assertRefused(await raw([json, [name, value], [again, value]], body, others), 10002, 400, `header ${name}`)
      }
    assertRefused(await raw([json, ['app-id', 'other']], body), 10002, 400, 'header app_id')
    assertRefused(await raw([json, ['App-Id', '']], body), 10002, 400, 'header app_id')
    assertAccepted(await raw([json, ['App-Id', 'demo']], body), 'both spellings')
    assertAccepted(await raw([json, ['APP-ID', 'demo']], body, [['Access-Token', admin]]), 'the other spelling')
  })

  test('two lengths, or a length beside chunks, are not believed', async () => {
    const body = JSON.stringify(base)
    const lengths = [['content-length', String(body.length)], ['content-length', String(body.length + 1)]] as const
    assertRefused(await raw([json, ...lengths], body), 10002, 400)
    assertRefused(
      await raw([json, ['content-length', String(body.length)], ['transfer-encoding', 'chunked']], chunked(body)),
      10002,
      400,
    )
  })
})

test('ext reaches a device exactly as it was written, at once or out of its inbox after a restart', async (t) => {
  const ext = [
    '"big":12345678901234567890', '"below":-12345678901234567890', '"exact":9007199254740993', '"one":1.0', '"zero":-0',
    '"huge":1e400', '"tiny":1E-400', '"long":0.1000000000000000055511151231257827021181583404541015625', '"text":"1.0"',
    '"list":[1.10,{"x":1e2}]', '"__proto__":{"a":1}', '"empty":{}', '"no":null',
  ].join()
  const notify = bodyWith('message.ext', `{${ext}}`).replace('{"alias":["nobody"]}', '"all"')
  const login = await carillon.tokenFor(await carillon.addUser('ann'), 'phone')
  const early = await send(notify)
  assertAccepted(early, 'while it is away')
  // What the program still had in its memory would prove nothing of what it stored.
  await carillon.stop()
  await carillon.start()

  const device = await connectDevice(t, carillon, login, { subscribe: false })
  const payload = async (): Promise<string> => String((await once(device.client as never, 'message'))[1])
  const fromInbox = payload()
  await device.client.subscribeAsync('push', { qos: 1 })
  assert.ok((await fromInbox).includes(`"ext":{${ext}}`), await fromInbox)

  const live = payload()
  assertAccepted(await send(notify), 'while it is connected')
  assert.ok((await live).includes(`"ext":{${ext}}`), await live)
  const { message } = JSON.parse(notify) as typeof base
  t.assert.equal((JSON.parse(await live) as { title: string }).title, message.title)
})

// Keep this the last one: it looks at what the others left behind.
test('what was refused left no task behind, and everything else left one of its own', async (t) => {
  const listed: number[] = []
  for (let before = ''; ; before = `&before=${listed.at(-1)}`) {
    const page: { task_id: number }[] = await carillon.ok(`/push/task/list?limit=500${before}`, { token: admin })
    if (page.length === 0) break
    listed.push(...page.map(({ task_id }) => task_id))
  }
  t.assert.equal(new Set(accepted).size, accepted.length)
  t.assert.deepEqual(listed.toSorted((a, b) => a - b), accepted.toSorted((a, b) => a - b))
})
