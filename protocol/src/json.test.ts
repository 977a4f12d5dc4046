import test, { type TestContext } from 'node:test'
import fc from 'fast-check'
import { Refused } from './errors.ts'
import { parseExactly } from './exact-json.ts'
import { int64, parseJson } from './json.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const parse = (text: string): unknown => parseJson(bytes(text))

/** What became of it, in a form two parsers can be compared by: raw numbers and key order included. */
const outcome = (run: () => unknown): string => {
  try {
    return JSON.stringify(run())
  } catch (problem) {
    if (problem instanceof Refused) return `refused: ${problem.message}`
    throw problem
  }
}

const refused = (pattern: RegExp) => (problem: unknown) =>
  problem instanceof Refused && problem.kind === 'badParameter' && pattern.test(problem.message)

const sameNumbers = ['0', '7', '-7', '999999999999999', '9007199254740991', '-9007199254740991']
const keptAsWritten = [
  '-0', '1.0', '1.5', '1e3', '1E+3', '-2.50e-7', '1.00000000000000000001', '9007199254740992', '9007199254740993',
  '-9007199254740993', '9223372036854775807', '9223372036854775808', '1e999', '0.1', '123456789012345678901234567890',
]

test('a safe integer becomes a number', (t: TestContext) => {
  for (const text of sameNumbers) t.assert.strictEqual(parse(text), Number(text), text)
})

test('every other number is written back as it was written', (t: TestContext) => {
  for (const text of keptAsWritten) {
    t.assert.ok(JSON.isRawJSON(parse(text)), text)
    t.assert.strictEqual(JSON.stringify(parse(`{"a":[${text}]}`)), `{"a":[${text}]}`)
  }
})

test('what is not exact JSON is refused with its place and without its content', (t: TestContext) => {
  const cases: [string, RegExp][] = [
    ['', /ends too early at character 1$/],
    ['   ', /ends too early at character 4$/],
    ['\ufeff{}', /a value is missing at character 1$/],
    ['{"a":1,"a":2}', /a key that its object already has at character 8$/],
    ['{"a":1,"\\u0061":2}', /already has at character 8$/],
    ['{"x":{"b":1,"c":[],"b":2}}', /already has at character 20$/],
    ['{"__proto__":1,"__proto__":2}', /already has/],
    ['{"a":"b\\u0000c"}', /a NUL character at character 8$/],
    ['{"a\\u0000":1}', /a NUL character at character 4$/],
    ['{"a":"b\0c"}', /a NUL character at character 8$/],
    ['"\\ud83d"', /half of a surrogate pair at character 2$/],
    ['"\\ude00"', /half of a surrogate pair/],
    ['"\\ud83d\\u0041"', /half of a surrogate pair/],
    ['"\\ud83d\\n"', /half of a surrogate pair/],
    ['"\\u12G4"', /four hexadecimal digits at character 2$/],
    ['"\\x"', /an escape that JSON does not have at character 2$/],
    ['"a\nb"', /a control character inside a string at character 3$/],
    ['"secret', /ends too early/],
    ['{} secret', /something after the end of the value at character 4$/],
    ['[1,]', /a value is missing at character 4$/],
    ['[1 2]', /a comma or \] is missing at character 4$/],
    ['{"a":1,}', /a key in quotes is missing at character 8$/],
    ['{"a" 1}', /a colon is missing at character 6$/],
    ['{a:1}', /a key in quotes is missing at character 2$/],
    ["{'a':1}", /a key in quotes is missing/],
    ['01', /something after the end/],
    ['-', /ends too early/],
    ['1.', /ends too early/],
    ['[.5]', /a value is missing/],
    ['+1', /a value is missing/],
    ['[1e]', /a digit is missing/],
    ['NaN', /a value is missing/],
    ['tru', /a value is missing/],
    ['/* */1', /a value is missing/],
  ]
  for (const [text, pattern] of cases) {
    t.assert.throws(() => parse(text), refused(pattern), JSON.stringify(text))
    t.assert.throws(() => parse(text), (problem: Error) => !problem.message.includes('secret'))
  }
})

test('bytes that are not UTF-8 are refused with their place', (t: TestContext) => {
  const cut = [...bytes('{"a":"x'), 0xff, ...bytes('"}')]
  t.assert.throws(() => parseJson(Uint8Array.from(cut)), refused(/not UTF-8 at byte 8$/))
  const surrogate = [...bytes('"'), 0xed, 0xa0, 0x80, ...bytes('"')]
  t.assert.throws(() => parseJson(Uint8Array.from(surrogate)), refused(/not UTF-8 at byte 2$/))
  const overlong = [...bytes('"'), 0xc0, 0x80, ...bytes('"')]
  t.assert.throws(() => parseJson(Uint8Array.from(overlong)), refused(/not UTF-8 at byte 2$/))
})

test('__proto__ is a key like any other on both ways of reading', (t: TestContext) => {
  for (const text of ['{"__proto__":{"admin":true}}', '{"__proto__":{"admin":true},"a":1.5}']) {
    const value = parse(text) as object
    t.assert.ok(Object.hasOwn(value, '__proto__'))
    t.assert.strictEqual(Object.getPrototypeOf(value), Object.prototype)
    t.assert.strictEqual(JSON.stringify(value), text)
  }
})

test('64 levels are read, the 65th is refused, and so is a body of nothing but brackets', (t: TestContext) => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  t.assert.doesNotThrow(() => parse(nested(64)))
  t.assert.doesNotThrow(() => parse(nested(63).replace('[]', '[1.5]')))
  for (const text of [nested(65), nested(100_000), '['.repeat(1 << 20), '{"a":'.repeat(200_000)]) {
    t.assert.throws(() => parse(text), refused(/deeper than 64 levels at character/))
  }
})

test('long hostile bodies are answered in time that grows with their length', (t: TestContext) => {
  const million = 1 << 20
  t.assert.throws(() => parse('"' + '\\'.repeat(million)), refused(/./))
  t.assert.throws(() => parse('"' + '\\u0061'.repeat(million / 6)), refused(/ends too early/))
  t.assert.throws(() => parse('{' + '"a":1,'.repeat(million / 6)), refused(/./))
  t.assert.throws(() => parse(' '.repeat(million)), refused(/ends too early/))
  t.assert.ok(JSON.isRawJSON(parse('9'.repeat(million))))
  const keys = Array.from({ length: 50_000 }, (_, i) => `"k${i}":1.5`).join()
  t.assert.strictEqual(Object.keys(parse(`{${keys}}`) as object).length, 50_000)
})

test('the fast way and the exact way agree on every JSON text', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), (text) => {
      const expected = outcome(() => parseExactly(text))
      return outcome(() => parse(text)) === expected
    }),
    { numRuns: 1000 },
  )
})

test('the fast way and the exact way agree on texts made of JSON’s own pieces', () => {
  const piece = fc.constantFrom(
    '{', '}', '[', ']', ',', ':', '"a"', '"b"', '"\\u0061"', '"\\\\"', '"x\\"y"', '"é😀"', '"', '\\', ' ', '\n', '1',
    '-0', '-', '0', '1.5', '1e3', '1234567890123456', 'true', 'null', 'e', '.', '{"a":1}', '{"a":1,"b":[]}',
    '{"a":1,"a":2}',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('')
      return outcome(() => parse(text)) === outcome(() => parseExactly(text))
    }),
    { numRuns: 5000 },
  )
})

test('the exact way reads what JSON.parse reads', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const text = JSON.stringify(value)
      if (/\\u0000|\\ud[89a-f]/i.test(text)) return true
      return JSON.stringify(JSON.parse(JSON.stringify(parseExactly(text)))) === JSON.stringify(JSON.parse(text))
    }),
    { numRuns: 1000 },
  )
})

test('int64 is exact up to its edges and knows nothing else', (t: TestContext) => {
  const cases: [string, number | bigint | undefined][] = [
    ['0', 0],
    ['-1', -1],
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['9007199254740993', 9007199254740993n],
    ['-9007199254740993', -9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
    ['9223372036854775808', undefined],
    ['-9223372036854775808', -9223372036854775808n],
    ['-9223372036854775809', undefined],
    ['99999999999999999999', undefined],
    ['1.0', undefined],
    ['1e3', undefined],
    ['-0', undefined],
    ['1.00000000000000000001', undefined],
    ['"1"', undefined],
    ['true', undefined],
    ['null', undefined],
    ['[1]', undefined],
    ['{"rawJSON":"9007199254740993"}', undefined],
  ]
  for (const [text, expected] of cases) t.assert.strictEqual(int64(parse(text)), expected, text)
})
