import test, { type TestContext } from 'node:test'
import type { TSchema } from 'typebox'
import {
  AppSettingPut, Bind, CertificateQuery, GroupCreate, Page, ReceiptList, Register, RegisterBatch, SetPush, SetTags,
  TaskDetail, TaskRef, TokenById,
} from './bodies.ts'
import { emptyCounters } from './counters.ts'
import { errors, Refused, type ErrorName } from './errors.ts'
import { parseJson } from './json.ts'
import { channels, LAST_PROVIDER } from './names.ts'
import { read, readQuery } from './read.ts'
import { Type } from './type.ts'
import { Default, FreeText, Int, Text } from './types.ts'

const parse = (text: string): unknown => parseJson(new TextEncoder().encode(text))

const refused = (message: RegExp, kind: ErrorName = 'badParameter') => (problem: unknown) =>
  problem instanceof Refused && problem.kind === kind && message.test(problem.message)

const ids = (count: number) => Array.from({ length: count }, (_, i) => i)

test('a blank required field is refused by its name, however it is blank', (t: TestContext) => {
  for (const blank of [undefined, null, '', ' \t\n\u3000', {}, []]) {
    t.assert.throws(() => read(TokenById, { user_id: 1, password: blank }), refused(/^password is required$/))
    t.assert.throws(() => read(TokenById, { user_id: blank, password: 'x' }), refused(/^user_id is required$/))
  }
})

test('a blank optional field is absent, however it is blank', (t: TestContext) => {
  for (const blank of [undefined, null, '', '  ', {}, []]) {
    const record = read(SetPush, { enabled: false, no_push_start_hour: blank, time_zone: blank })
    t.assert.deepStrictEqual(record, { enabled: false })
  }
})

test('a field with a default is always there', (t: TestContext) => {
  t.assert.deepStrictEqual(read(GroupCreate, { name: 'a' }), { name: 'a', members: [] })
  t.assert.strictEqual(read(Bind, { device_token: 'x', environment: null }).environment, 1)
  t.assert.strictEqual(read(Bind, { device_token: 'x', environment: 0 }).environment, 0)
  read(GroupCreate, { name: 'a' }).members.push(7)
  t.assert.deepStrictEqual(read(GroupCreate, { name: 'b' }).members, [], 'nobody can change it for the next caller')
})

test('text keeps its exact bytes', (t: TestContext) => {
  t.assert.strictEqual(read(TokenById, { user_id: 1, password: ' pass\u0301 ' }).password, ' pass\u0301 ')
})

test('nothing is coerced', (t: TestContext) => {
  const wrong: [TSchema, string, RegExp][] = [
    [TokenById, '{"user_id":"1","password":"x"}', /^user_id must be a 64-bit integer/],
    [TokenById, '{"user_id":true,"password":"x"}', /^user_id must be/],
    [TokenById, '{"user_id":1.0,"password":"x"}', /^user_id must be/],
    [TokenById, '{"user_id":1,"password":12345678}', /^password must be a string$/],
    [TokenById, '{"user_id":1,"password":1.5}', /^password must be a string$/],
    [SetPush, '{"enabled":1}', /^enabled must be true or false$/],
    [SetPush, '{"enabled":"true"}', /^enabled must be/],
    [Bind, '{"device_token":"x","environment":"1"}', /^environment must be 0 or 1$/],
    [Bind, '{"device_token":"x","environment":1.0}', /^environment must be 0 or 1$/],
    [Bind, '{"device_token":"x","platform":"IOS"}', /^platform must be ios, android, web or other$/],
    [SetTags, '{"tags":"a"}', /^tags must be a list$/],
    [SetTags, '{"tags":{"0":"a"}}', /^tags must be a list$/],
    [SetTags, '{"tags":["a",1]}', /^tags\[1\] must be a string$/],
    [AppSettingPut, '{"token_days":1e1}', /^token_days must be an integer from 1 to 3650/],
  ]
  for (const [schema, body, message] of wrong) t.assert.throws(() => read(schema, parse(body)), refused(message), body)
})

test('a body that is not an object is refused as the body', (t: TestContext) => {
  for (const body of ['x', '', 7, true, [], [1], parse('1.5')]) {
    t.assert.throws(() => read(AppSettingPut, body), refused(/^body must be an object$/))
  }
  t.assert.deepStrictEqual(read(AppSettingPut, undefined), {}, 'no body at all is an empty one')
})

test('length counts characters, not code units, and bytes where bytes matter', (t: TestContext) => {
  const schema = Type.Object({ a: Text(3, { maxBytes: 9 }), b: Type.Optional(FreeText({ maxBytes: 4 })) })
  for (const a of ['abc', 'äöü', '中文字', '😀a']) t.assert.strictEqual(read(schema, { a }).a, a)
  for (const a of ['abcd', '😀abc', 'a'.repeat(1_000_000)]) {
    t.assert.throws(() => read(schema, { a }), refused(/^a must be at most 3 characters long$/))
  }
  t.assert.throws(() => read(schema, { a: '😀😀😀' }), refused(/^a must be at most 9 bytes/))
  t.assert.strictEqual(read(schema, { a: 'a', b: '😀' }).b, '😀')
  t.assert.throws(() => read(schema, { a: 'a', b: '😀a' }), refused(/^b must be at most 4 bytes/))
})

test('a list over 500 is too long, a list over its own limit is wrong, and repeats are read once', (t: TestContext) => {
  t.assert.strictEqual(read(TaskDetail, { list: ids(500) }).list.length, 500)
  t.assert.throws(() => read(TaskDetail, { list: ids(501) }), refused(/^list must hold at most 500/, 'listTooLong'))
  t.assert.throws(() => read(TaskDetail, { list: [] }), refused(/^list is required$/))
  t.assert.throws(() => read(TaskDetail, { list: [1, null] }), refused(/^list\[1\] must not be blank$/))
  t.assert.deepStrictEqual(read(TaskDetail, { list: [3, 1, 3, 2, 1] }), { list: [3, 1, 2] })
  t.assert.throws(() => read(SetTags, { tags: ids(101).map(String) }), refused(/^tags must hold at most 100/))
  t.assert.throws(() => read(SetTags, { tags: ids(501).map(String) }), refused(/^tags must hold/, 'listTooLong'))
  t.assert.throws(() => read(RegisterBatch, { list: ids(501) }), refused(/^list must hold/, 'listTooLong'))
})

test('a problem inside a list of objects is named by its whole path', (t: TestContext) => {
  const body = { list: [{ task_id: 1, event: 'shown' }, { task_id: 2, event: 'seen' }] }
  t.assert.throws(() => read(ReceiptList, body), refused(/^list\[1\]\.event must be received, shown, clicked or/))
  t.assert.throws(() => read(ReceiptList, body, 'outer'), refused(/^outer\.list\[1\]\.event must/))
})

test('unknown fields are left out, inherited names included', (t: TestContext) => {
  const body = parse('{"enabled":true,"newer":1.5,"__proto__":{"time_zone":"x"},"constructor":{"a":1}}')
  t.assert.deepStrictEqual(read(SetPush, body), { enabled: true })
})

test('an int64 beyond a double is read exactly', (t: TestContext) => {
  const body = parse('{"list":[9007199254740991,9007199254740992,9007199254740993,9223372036854775807,-1]}')
  t.assert.deepStrictEqual(read(TaskDetail, body).list, [
    9007199254740991, 9007199254740992n, 9007199254740993n, 9223372036854775807n, -1,
  ])
  const beyond = parse('{"list":[9223372036854775808]}')
  t.assert.throws(() => read(TaskDetail, beyond), refused(/^list\[0\] must be a 64-bit/))
})

test('mobile numbers, email addresses and time zones are checked', (t: TestContext) => {
  const register = (more: object) => () => read(Register, { username: 'a', password: 'x', ...more })
  for (const mobile of ['12345', '+8613800138000', '1'.repeat(20)]) t.assert.doesNotThrow(register({ mobile }))
  for (const mobile of ['1234', '1'.repeat(21), '+', '12 345', '1+2345', '１２３４５', '12345\n']) {
    t.assert.throws(register({ mobile }), refused(/^mobile must be/), mobile)
  }
  for (const email of ['a@b', 'Ana.Müller+x@example.com']) t.assert.doesNotThrow(register({ email }))
  for (const email of ['a', '@b', 'a@', 'a@b@c', 'a b@c', `${'a'.repeat(253)}@b`]) {
    t.assert.throws(register({ email }), refused(/^email must be/), email)
  }
  for (const time_zone of ['Asia/Shanghai', 'UTC']) {
    t.assert.doesNotThrow(() => read(SetPush, { enabled: true, time_zone }))
  }
  for (const time_zone of ['Mars/Base', '+08:00', 'x'.repeat(65)]) {
    t.assert.throws(() => read(SetPush, { enabled: true, time_zone }), refused(/^time_zone must be/), time_zone)
  }
})

test('integers of a query are read from strict text', (t: TestContext) => {
  t.assert.deepStrictEqual(readQuery(Page, {}), { page_num: 1, page_size: 50 })
  t.assert.deepStrictEqual(readQuery(Page, { page_num: '2', page_size: '', x: 'y' }), { page_num: 2, page_size: 50 })
  const honor = readQuery(CertificateQuery, { provider: '8', environment: '0' })
  t.assert.deepStrictEqual(honor, { provider: 8, environment: 0 })
  t.assert.deepStrictEqual(readQuery(TaskRef, { task_id: '9007199254740993' }), { task_id: 9007199254740993n })
  for (const page_num of ['01', '+1', '1.0', '1e1', ' 1', '1 ', '0x1', '١', '0', '-1', '-0', '9'.repeat(100_000)]) {
    t.assert.throws(() => readQuery(Page, { page_num }), refused(/^page_num must be an integer/), page_num.slice(0, 9))
  }
  for (const task_id of ['9223372036854775808', '-0', '1n', 'x']) {
    t.assert.throws(() => readQuery(TaskRef, { task_id }), refused(/^task_id must be a 64-bit integer/), task_id)
  }
  t.assert.throws(() => readQuery(CertificateQuery, { provider: String(LAST_PROVIDER + 1) }), refused(/^provider must be an integer from 1/))
  const third = { provider: '1', environment: '2' }
  t.assert.throws(() => readQuery(CertificateQuery, third), refused(/^environment must be 0 or 1/))
})

test('a query parameter given twice, or with NUL or half a character in it, is refused', (t: TestContext) => {
  t.assert.throws(() => readQuery(Page, { page_num: ['1', '1'] }), refused(/^page_num must be given once$/))
  const schema = Type.Object({ a: Type.Optional(FreeText()), b: Default(Int(0, 1), 0) })
  for (const a of ['x\0', '\ud800']) t.assert.throws(() => readQuery(schema, { a }), refused(/^a must be well-formed/))
})

test('counters are three zeros a channel beside the task id', (t: TestContext) => {
  const counters = emptyCounters(7)
  t.assert.strictEqual(counters.task_id, 7)
  t.assert.strictEqual(Object.keys(counters).length, 1 + 3 * channels.length)
  t.assert.ok(Object.entries(counters).every(([name, count]) => name === 'task_id' || count === 0))
  t.assert.strictEqual(errors.listTooLong.code, 12005)
})
