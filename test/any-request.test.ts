import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import fc from 'fast-check'
import type { Envelope } from './harness/carillon.ts'
import { startCarillon } from './harness/carillon.ts'
import { exchange, readAnswers, requestBytes, type WireAnswer } from './harness/raw-http.ts'
import { routesOfProgram } from './isolation/routes.ts'

// Repeatable by default; SEED=… looks elsewhere.
const seed = Number(process.env.SEED ?? 20_260_801)

const carillon = await startCarillon({ after }, { CARILLON_ADDRESS_FAILURES: '1000000' })
const { admin } = carillon
const user = await carillon.tokenFor(await carillon.addUser('ann'), 'phone')

// Calls that would end the very tokens the rest is called with. They are called all the same, but with others.
const endings = new Set(
  ['POST /token/logout', 'POST /user/kick', 'POST /user/delete', 'POST /user/disable', 'POST /user/device/remove'],
)
const routes = (await routesOfProgram()).map((route) => route.split(' ') as [string, string])
// Whom it takes, it answers for as long as they listen: test/console-api.test.ts.
const endless = 'GET /app/live'
const calm = routes.filter((route) => !endings.has(route.join(' ')) && route.join(' ') !== endless)
// Pages, not calls: what they answer is no envelope, unless they refuse.
const pages = new Set(['/', '/openapi.json', '/docs', '/metrics'])

const fields = [
  'audience', 'message', 'setting', 'all', 'tag', 'alias', 'user_id', 'push_token', 'title', 'body', 'ext', 'badge',
  'type', 'ios', 'android',
  'show_begin_time', 'send_time', 'request_id', 'list', 'task_id', 'event', 'channel', 'at', 'name', 'password',
  'device_guid', 'login_name',
  'username', 'members', 'group_id', 'tags', 'provider', 'environment', 'enabled', 'time_zone', 'push_enabled',
  'certificate', 'options', '__proto__',
]

const textOfAnyKind = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    ' ',
    '0',
    '1',
    '-1',
    'all',
    'text',
    'cmd',
    'null',
    '9007199254740993',
    'x'.repeat(600),
    '🔔',
    'https://example.com/a.png',
    user.push_token,
  ),
)

const numberText = fc.constantFrom(
  '0',
  '1',
  '-1',
  '-0',
  '1.0',
  '1e3',
  '1e400',
  '9007199254740993',
  '9223372036854775808',
  '12345678901234567890',
  '0.1',
  '253402300799',
)

/** JSON as a caller of ours would write it, more or less: known fields in odd places, odd values in known fields. */
const json = fc.letrec<{ value: string; object: string }>((tie) => ({
  object: fc
    .array(
      fc.tuple(
        fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...fields) }, { weight: 1, arbitrary: textOfAnyKind }),
        tie('value'),
      ),
      { maxLength: 5 },
    )
    .map((pairs) => `{${pairs.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join()}}`),
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    textOfAnyKind.map((text) => JSON.stringify(text)),
    numberText,
    fc.constantFrom('null', 'true', 'false', '[]', '{}'),
    fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join()}]`),
    tie('object'),
  ),
}))

/** Bodies that are right, so that a small change reaches further than the first check. */
const examples: Record<string, object> = {
  '/push/notify': {
    audience: { user_id: [1] },
    message: { title: 'a', ext: { b: 1 }, ios: { sound: 'c' } },
    setting: { time_to_live: 1 },
  },
  '/push/task/detail': { list: [1, 2] },
  '/push/task/cancel': { task_id: 1 },
  '/push/receipt': { list: [{ task_id: 1, event: 'clicked', channel: 'nativepush' }], push_token: user.push_token },
  '/push/certificate': {
    provider: 3,
    environment: 1,
    app_secret: 'Abcdefghijklmnop',
    name: 'com.example.app',
    options: {},
  },
  '/token/admin': { user_id: user.user_id, device_guid: 'tablet' },
  '/token/user': { name: 'nobody', password: 'long enough' },
  '/token/id': { user_id: 999, password: 'long enough' },
  '/token/login': { login_name: 'nobody', password: 'long enough' },
  '/user/register/v2': { username: 'bea', password: 'short', mobile: '+4912345', email: 'a@b' },
  '/user/register/batch': { list: [{ username: 'cas', mobile: '12345' }, { username: 'dot', email: 'a@b' }] },
  '/user/enable': { user_id: user.user_id },
  '/user/change_password': { old_password: 'long enough', password: 'too short' },
  '/group/create': { name: 'g', members: [user.user_id] },
  '/group/member/add': { group_id: 1, list: [user.user_id] },
  '/group/member/remove': { group_id: 1, list: [1] },
  '/user/push/tag': { tags: ['a', 'b'], push_token: user.push_token },
  '/user/push/alias': { alias: 'a', push_token: user.push_token },
  '/user/push/badge': { badge: 1, push_token: user.push_token },
  '/user/push': { enabled: true, no_push_start_hour: 1, no_push_end_hour: 2, time_zone: 'UTC' },
  '/user/token/bind': {
    push_token: user.push_token,
    device_token: 'a',
    provider: 3,
    environment: 1,
    platform: 'android',
  },
  '/user/token/unbind': { push_token: user.push_token, provider: 3 },
  '/app/setting': { alias_by: 'user', token_days: 30, inbox_limit: 10 },
}

/** The places of values in a text of JSON that was written without spaces. */
const valuesIn = (text: string): RegExpExecArray[] => [
  ...text.matchAll(/(?<=[:[,])("[^"]*"(?!:)|-?\d+|true|false|\[\]|\{\})/g),
]

/** A right body, with none, one or two of its values replaced. */
const nearly = (example: object): fc.Arbitrary<Buffer> =>
  fc.array(fc.tuple(fc.nat(), json.value), { maxLength: 2 }).map((changes) => {
    let text = JSON.stringify(example)
    for (const [n, value] of changes) {
      const places = valuesIn(text)
      const place = places[n % places.length]
      if (place) text = text.slice(0, place.index) + value + text.slice(place.index + place[0].length)
    }
    return Buffer.from(text)
  })

const anyBody = fc.oneof(
  { weight: 4, arbitrary: json.object.map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: json.value.map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)) },
  {
    weight: 1,
    arbitrary: fc.tuple(json.object, fc.nat()).map(
      ([text, at]) => Buffer.from(text).subarray(0, at % (text.length + 1)),
    ),
  },
)

/** What a header may hold without ending it. */
const headerText = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'Z', '0', '9', ' ', ',', ';', '=', '"', '\\', 'é', '\t'), maxLength: 30 }),
  fc.constantFrom(
    '',
    '0',
    '1',
    '-1',
    '01',
    '1.0',
    '9223372036854775808',
    'demo',
    'application/json',
    'chunked?',
    'identity',
    '\u0001',
    '\x7f',
    '鈴',
  ),
)

const asAdmin: [string, string][] = [['app_id', 'demo'], ['access-token', admin]]
const credentials = fc.oneof(
  { weight: 4, arbitrary: fc.constant(asAdmin) },
  { weight: 4, arbitrary: fc.constant<[string, string][]>([['app-id', 'demo'], ['access-token', user.token]]) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<[string, string][]>(
      [...asAdmin, ['user_id', String(user.user_id)]],
      [['app_id', 'demo']],
      [],
    ),
  },
)

const headers = fc.tuple(
  credentials,
  fc.oneof(
    { weight: 8, arbitrary: fc.constant<[string, string][]>([['content-type', 'application/json']]) },
    { weight: 1, arbitrary: fc.constantFrom<[string, string][]>([['content-type', 'text/plain']], []) },
  ),
  fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.array(
    fc.tuple(
      fc.constantFrom(
        'app_id',
        'app-id',
        'access-token',
        'group_id',
        'group-id',
        'user_id',
        'content-type',
        'content-encoding',
        'accept',
        'range',
        'origin',
        'x-forwarded-for',
        'cookie',
        'te',
        'x-http-method-override',
        'if-none-match',
      ),
      headerText,
    ),
    { minLength: 1, maxLength: 2 },
  ) }),
)

const query = fc
  .array(
    fc.tuple(
      fc.constantFrom(
        'provider',
        'environment',
        'page_num',
        'page_size',
        'push_token',
        'limit',
        'before',
        'state',
        '',
        '__proto__',
        'x',
      ),
      fc.webQueryParameters(),
    ),
    { maxLength: 3 },
  )
  .map((pairs) => (pairs.length > 0 ? `?${pairs.map(([name, value]) => `${name}=${value}`).join('&')}` : ''))

const taskId = fc.constantFrom(
  '1',
  '0',
  '-1',
  'x',
  '%00',
  '%ff',
  '%F0%9F%94%94',
  '9007199254740993',
  '..',
  '.',
  'a'.repeat(600),
  '*',
  ':task_id',
)

const target = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.tuple(fc.constantFrom(...calm), taskId, query).map(
      ([[method, path], id, rest]) => [method, path.replace(':task_id', id) + rest] as const,
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'LOCK'),
      fc.constantFrom(...calm),
    ).map(([method, [, path]]) => [method, path] as const),
  },
  { weight: 1, arbitrary: fc.webPath().map((path) => ['GET', path || '/'] as const) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '*',
      '//',
      '/..',
      '/%',
      '/%zz',
      '/\u007f',
      'http://example.com/push/notify',
      '/push/notify#a',
      '/?',
      '/push/notify;a=b',
    ).map((path) => ['POST', path] as const),
  },
)

/** Throws unless this is an answer of ours that blames nobody but the caller. */
const assertEnvelope = ({ status, headers: sent, body: text }: WireAnswer, head = false): void => {
  assert.equal(sent['content-type'], 'application/json')
  assert.ok(status >= 200 && status < 500, `${status} ${text}`)
  if (head && text === '') return
  const envelope = JSON.parse(text) as Envelope
  assert.deepEqual(Object.keys(envelope), ['code', 'data', 'message'])
  assert.ok(Number.isInteger(envelope.code) && envelope.code < 50_000, text)
  assert.equal(envelope.code === 200, envelope.message === null)
  assert.equal(envelope.code === 200, status === 200)
}

const assertAlive = async (): Promise<void> => {
  for (const { http } of carillon.nodes) assert.equal((await fetch(`${http}/health/live`)).status, 200)
  assert.doesNotMatch(carillon.log, /"level":"?(50|60|error|fatal)/, 'the log tells of a failure inside')
}

test('whatever is asked, the answer is one envelope, and never our fault', { timeout: 60_000 }, async () => {
  const call = target.chain(([method, path]) => {
    const example = examples[path.split('?', 1)[0]!]
    const body = example ? fc.oneof(
      { weight: 3, arbitrary: nearly(example) },
      { weight: 1, arbitrary: anyBody },
    ) : anyBody
    return fc.tuple(fc.constant(method), fc.constant(path), headers, fc.option(body, { freq: 8 }))
  })
  const property = fc.asyncProperty(call, async ([method, path, [who, type, more], sent]) => {
    const bytes = requestBytes(method, path, [...who, ...type, ...more], sent ?? undefined)
    const answers = readAnswers(await exchange(carillon.port, bytes), { bodiless: method === 'HEAD' })
    assert.equal(answers.length, 1)
    if (pages.has(path.split('?', 1)[0]!) && answers[0]!.status === 200) return
    assertEnvelope(answers[0]!, method === 'HEAD')
  })
  await fc.assert(property, { seed, numRuns: 1_500 })
  await assertAlive()
})

test('calls that end things are answered as well, for tokens that are not', { timeout: 60_000 }, async () => {
  const strangers = fc.constantFrom<[string, string][]>(
    [['app_id', 'demo'], ['access-token', 'ca_nobody']],
    [['app_id', 'demo']],
    [],
  )
  const route = fc.constantFrom(...endings)
  const property = fc.asyncProperty(route, strangers, fc.option(anyBody), async (ending, who, sent) => {
    const [method, path] = ending.split(' ') as [string, string]
    const bytes = requestBytes(method, path, [...who, ['content-type', 'application/json']], sent ?? undefined)
    const [answer] = readAnswers(await exchange(carillon.port, bytes))
    assertEnvelope(answer!)
  })
  await fc.assert(property, { seed, numRuns: 100 })
  await assertAlive()
})

test('a broken request is answered with envelopes or not at all', { timeout: 60_000 }, async () => {
  const whole = requestBytes(
    'POST',
    '/push/notify',
    [['app_id', 'demo'], ['access-token', admin], ['content-type', 'application/json']],
    '{"audience":"all","message":{}}',
  )
  const spot = fc.nat({ max: whole.length - 1 })
  const breakage = fc.oneof(
    spot.map((at) => whole.subarray(0, at)), // cut off
    fc.tuple(spot, fc.uint8Array({ minLength: 1, maxLength: 8 })).map(
      ([at, bytes]) => Buffer.concat([whole.subarray(0, at), bytes, whole.subarray(at)]),
    ),
    fc.tuple(spot, fc.uint8Array({ minLength: 1, maxLength: 8 })).map(
      ([at, bytes]) => Buffer.concat([whole.subarray(0, at), bytes, whole.subarray(at + bytes.length)]),
    ),
    fc.tuple(spot, spot).map(([from, to]) => Buffer.concat([whole.subarray(0, from), whole.subarray(to)])),
    fc.nat({ max: 4 }).map(
      (more) => Buffer.concat(Array.from({ length: more + 2 }, () => whole)),
    ), // one behind the other
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc.constantFrom(
      'GET /nowhere HTTP/0.9\r\n\r\n',
      'GET /nowhere HTTP/2.0\r\n\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      '\x16\x03\x01\x02\x00\x01\x00',
      'CONNECT a:1 HTTP/1.1\r\n\r\n',
    ).map((text) => Buffer.from(text)),
  )
  const property = fc.asyncProperty(breakage, async (bytes) => {
    for (const answer of readAnswers(await exchange(carillon.port, bytes, { unfinished: true }))) assertEnvelope(answer)
  })
  await fc.assert(property, { seed, numRuns: 500 })
  await assertAlive()
})

test('an upgrade that is none of ours is refused with an envelope', { timeout: 60_000 }, async () => {
  const upgrade = fc.record({
    path: fc.constantFrom('/mqtt', '/nowhere', '/push/notify', '/mqtt/', '/mqtt?x'),
    to: fc.constantFrom('websocket', 'WebSocket', 'h2c', ''),
    key: fc.constantFrom('', 'short', 'AAAAAAAAAAAAAAAAAAAAAA==', 'é'),
    version: fc.constantFrom('13', '8', '99', ''),
    protocol: fc.constantFrom('', 'soap', 'mqttv3.1', ',,', 'mqtt,'),
  })
  const property = fc.asyncProperty(upgrade, async ({ path, to, key, version, protocol }) => {
    const more = [
      ['upgrade', to],
      ['connection', 'upgrade'],
      ['sec-websocket-key', key],
      ['sec-websocket-version', version],
      ['sec-websocket-protocol', protocol],
    ] as const
    const bytes = requestBytes('GET', path, more)
    const answers = readAnswers(await exchange(carillon.port, bytes, { unfinished: true }))
    for (const answer of answers) if (answer.status !== 101) assertEnvelope(answer)
  })
  await fc.assert(property, { seed, numRuns: 150 })
  await assertAlive()
})
