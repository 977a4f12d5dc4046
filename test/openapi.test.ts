import test, { after, suite } from 'node:test'
import { errors } from '@carillon/protocol/errors.ts'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { type CallOptions, startCarillon } from './harness/carillon.ts'
import { routesOfProgram } from './isolation/routes.ts'
import { type Described, readDescription } from './openapi/description.ts'
import { settle, type Story } from './openapi/story.ts'

const carillon = await startCarillon({ after })
const { api, calls } = await readDescription(carillon)

/** Formats are words for people here: the limits stand beside them. */
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })

const check = (t: test.TestContext, schema: object, value: unknown, of: string): void => {
  const valid = ajv.validate({ ...schema, components: api.components }, value)
  t.assert.equal(valid, true, `${of}: ${ajv.errorsText()} in ${JSON.stringify(value)}`)
}

/** The same schema, without leave for fields it does not name: an answer must not hold more than is described. */
const closed = (schema: any): any => {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]))
  return schema.type === 'object' && schema.properties ? { additionalProperties: false, ...inner } : inner
}
const closedApi = closed(api)

const callOf = ({ method, path, who, body, parameters }: Described, { told, login }: Story): [string, CallOptions] => {
  let address = path
  const query = new URLSearchParams()
  for (const { in: place, name, example } of parameters) {
    if (place === 'path') address = address.replace(`{${name}}`, String(told(example)))
    if (place === 'query' && example !== undefined) query.set(name, String(told(example)))
  }
  const tokens: Record<string, string> = { admin: carillon.admin, user: login.token, any: login.token }
  return [`${address}${query.size > 0 ? `?${query}` : ''}`, { method, token: tokens[who ?? ''], body: told(body?.example) }]
}

/** What takes JSON, or nothing, and answers with an envelope. A file is uploaded in a test of its own. */
const envelopes = calls.filter(({ success, body, method }) => success?.example !== undefined && (body || method !== 'PUT'))

test('the description is valid OpenAPI 3.1', async (t) => {
  const validator = new Validator()
  const { valid, errors: found } = await validator.validate(structuredClone(api))
  t.assert.equal(valid, true, JSON.stringify(found))
  t.assert.equal(validator.version, '3.1')
})

test('it holds every route of the program, and beside them the upgrade to MQTT alone', async (t) => {
  const described = calls.map(({ name }) => name.replaceAll(/\{(\w+)\}/g, ':$1')).filter((name) => name !== 'GET /mqtt')
  t.assert.deepEqual(described.sort(), await routesOfProgram())
  t.assert.equal(calls.some(({ name }) => name === 'GET /mqtt'), true)
})

test('it holds every code of the catalogue, and each call names its own', (t) => {
  const examples = Object.values<any>(api.components.examples).map(({ value }) => value.code)
  t.assert.deepEqual(examples, Object.values(errors).map(({ code }) => code))
  for (const { name, codes, who } of calls) {
    t.assert.notEqual(codes.length, 0, name)
    if (who === 'admin') for (const code of [10002, 10003, 10008, 402, 10010, 40000]) t.assert.equal(codes.includes(code), true, name)
  }
})

test('no keyword or format of ours is left in its schemas', (t) => {
  const text = JSON.stringify(api)
  for (const word of ['maxBytes', '"web-address"', '"time-zone"', '"mobile"}', '~kind']) t.assert.equal(text.includes(word), false, word)
  const name = api.paths['/token/user'].post.requestBody.content['application/json'].schema.properties.name
  t.assert.deepEqual(name, { type: 'string', maxLength: 128, description: 'The username. At most 512 bytes of UTF-8.' })
})

test('what a call takes or answers is shown, and fits its own schema', (t) => {
  for (const { name, body, parameters, success } of calls) {
    const required = parameters.filter((parameter) => parameter.required && parameter.in !== 'header')
    for (const { name: field, example, schema } of required) {
      t.assert.notEqual(example, undefined, `${name} ${field}`)
      check(t, schema, example, `${name} ${field}`)
    }
    if (body) check(t, body.schema, body.example, name)
    if (success?.example) check(t, success.schema, success.example, name)
  }
})

suite('every example, called for real, is answered as described: all fields, and no other', () => {
  for (const call of envelopes) {
    test(call.name, async (t) => {
      const [path, options] = callOf(call, await settle(carillon, call.body?.example))
      const { status, headers: _, ...envelope } = await carillon.call(path, options)
      t.assert.equal(status, 200, `${envelope.code} ${envelope.message}`)
      const method = closedApi.paths[call.path][call.method.toLowerCase()]
      const { schema } = method.responses['200'].content['application/json']
      const valid = ajv.validate({ ...schema, components: closedApi.components }, envelope)
      t.assert.equal(valid, true, `${ajv.errorsText()} in ${JSON.stringify(envelope)}`)
      const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
      const example = call.success!.example!.data
      t.assert.equal(isObject(envelope.data), isObject(example))
    })
  }
})

test('whatever a call is refused with, its description lists', async (t) => {
  const story = await settle(carillon, undefined)
  for (const call of envelopes) {
    const [path, options] = callOf(call, story)
    const asAdmin = { ...options, token: carillon.admin }
    const bad: CallOptions[] = [
      { ...options, app: null },
      { ...options, app: 'nowhere' },
      { ...options, token: undefined, body: options.body && {} },
      { ...options, token: 'cu_nobody', body: options.body && {} },
      { ...asAdmin, user: 999_999_999 },
      { ...asAdmin, group: 999_999_999 },
      { ...asAdmin, user: 1, group: 1 },
      { ...options, token: story.login.token, user: 999_999_999, body: options.body && {} },
      ...(options.body
        ? [
            { ...asAdmin, body: '{' },
            { ...asAdmin, body: '{}', headers: { 'content-type': 'text/plain' } },
            { ...asAdmin, body: JSON.stringify({ list: Array.from({ length: 501 }, (_, i) => i + 1) }) },
          ]
        : []),
    ]
    for (const attempt of bad) {
      const { code, message } = await carillon.call(path, attempt)
      t.assert.equal(code === 200 || call.codes.includes(code), true, `${call.name}: ${code} ${message}`)
    }
  }
})

test('the description and the page are kept by whoever has them, and asked for again by their tag', async (t) => {
  for (const path of ['/openapi.json', '/docs']) {
    const first = await fetch(carillon.http + path)
    const tag = first.headers.get('etag')!
    t.assert.match(tag, /^"[\w-]{43}"$/)
    await first.text()
    for (const sent of [tag, `W/${tag}`, `"other", ${tag}`]) {
      const again = await fetch(carillon.http + path, { headers: { 'if-none-match': sent } })
      t.assert.deepEqual([again.status, await again.text(), again.headers.get('etag')], [304, '', tag])
    }
    const other = await fetch(carillon.http + path, { headers: { 'if-none-match': '"other"' } })
    t.assert.equal(other.status, 200)
    await other.text()
  }
})

test('the page shows every call and code, and all its links lead somewhere', async (t) => {
  const response = await fetch(`${carillon.http}/docs`)
  t.assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8')
  const page = await response.text()
  const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
  t.assert.equal(ids.size, [...page.matchAll(/ id="/g)].length)
  for (const [, target] of page.matchAll(/href="([^"]+)"/g)) {
    t.assert.equal(target === 'openapi.json' || (target!.startsWith('#') && ids.has(target!.slice(1))), true, target!)
  }
  for (const { path, method } of calls) {
    const operation = api.paths[path][method.toLowerCase()]
    if (operation['x-same-as'] === undefined) t.assert.equal(ids.has(operation.operationId), true, `${method} ${path}`)
  }
  for (const { code } of Object.values(errors)) t.assert.equal(ids.has(`code-${code}`), true, String(code))
})

test('the page runs nothing and loads nothing, and its policy allows nothing but its style', async (t) => {
  const response = await fetch(`${carillon.http}/docs`)
  const page = await response.text()
  t.assert.doesNotMatch(page, /<(script|link|img|iframe|form|object|embed)\b| on\w+=| style=|@import|url\(/i)
  const [, style] = /<style>([^]*)<\/style>/.exec(page)!
  const digest = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(style!))).toString('base64')
  const policy = response.headers.get('content-security-policy')!
  t.assert.match(policy, /default-src 'none'/)
  t.assert.equal(policy.includes(`style-src 'sha256-${digest}'`), true, policy)
})
