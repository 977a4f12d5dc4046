import { randomBytes } from 'node:crypto'
import test from 'node:test'
import { Seal } from './seal.ts'

test('a sealed text opens again in its own row', (t) => {
  const seal = new Seal(randomBytes(32))
  t.assert.equal(seal.open(seal.seal('grüße 🔔', 'users:1'), 'users:1'), 'grüße 🔔')
  t.assert.equal(seal.open(seal.seal('', 'users:1'), 'users:1'), '')
})

test('the same text sealed twice looks different', (t) => {
  const seal = new Seal(randomBytes(32))
  t.assert.notDeepEqual(seal.seal('bell', 'a:1'), seal.seal('bell', 'a:1'))
})

test('a sealed value does not open in another row, with another key, or changed by one bit', (t) => {
  const key = randomBytes(32)
  const seal = new Seal(key)
  const sealed = seal.seal('bell', 'a:1')
  t.assert.throws(() => seal.open(sealed, 'a:2'))
  t.assert.throws(() => new Seal(randomBytes(32)).open(sealed, 'a:1'))
  for (let i = 0; i < sealed.length; i += 1) {
    const changed = Uint8Array.from(sealed)
    changed[i]! ^= 1
    t.assert.throws(() => seal.open(changed, 'a:1'), `byte ${i}`)
  }
  t.assert.throws(() => seal.open(sealed.subarray(0, 20), 'a:1'))
})
