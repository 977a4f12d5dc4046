import test from 'node:test'
import { SchemeMender } from './scheme.ts'

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
const frame = (type: number, payload: Buffer): Buffer => {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  return Buffer.concat([head, payload])
}
const DATA = 0
const HEADERS = 1
const withColon = Buffer.from('859d29ad173f', 'hex')
const without = Buffer.from('\u0005https')
const named = (value: Buffer, name: number) => Buffer.concat([Buffer.from([0x83, name]), value, Buffer.from([0x84])])

const SCHEME = 0x47
const AUTHORITY = 0x41
const others = [frame(DATA, named(withColon, SCHEME)), frame(HEADERS, named(withColon, AUTHORITY))]
const given = [PREFACE, frame(HEADERS, named(withColon, SCHEME)), ...others]
const expected = [PREFACE, frame(HEADERS, named(without, SCHEME)), ...others]

test('the colon after the scheme is taken out of header frames alone, however the bytes are cut', (t) => {
  const whole = Buffer.concat(given)
  for (let size = 1; size <= whole.length; size += 1) {
    const mender = new SchemeMender()
    const out: Buffer[] = []
    for (let at = 0; at < whole.length; at += size) {
      out.push(...mender.through(Buffer.from(whole.subarray(at, at + size))))
    }
    t.assert.deepEqual(Buffer.concat(out), Buffer.concat(expected), `cut into pieces of ${size}`)
  }
})

test('the beginning of a frame that is no header frame passes before the rest has come', (t) => {
  const mender = new SchemeMender()
  const begun = Buffer.concat([PREFACE, frame(DATA, Buffer.alloc(100)).subarray(0, 50)])
  t.assert.deepEqual(Buffer.concat(mender.through(begun)), begun)
})
