import test from 'node:test'
import { hexToken } from './sample-token.ts'

test('a token of no fate is not dead by chance', (t) => {
  const drawn = ['dead00', 'deadff', '0dead0']
  const random = () => Buffer.from(drawn.shift()!, 'hex')
  t.assert.equal(hexToken('', 3, random as never), '0dead0')
})

test('a token of a fate begins so', (t) => {
  t.assert.match(hexToken('offline-', 24), /^offline-[0-9a-f]{48}$/)
})
