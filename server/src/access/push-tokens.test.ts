import test, { type TestContext } from 'node:test'
import { PushTokens } from './push-tokens.ts'
import { hashToken } from './token.ts'

test('tokens of an import are all different, and come with their hash in the order of hashes', (t: TestContext) => {
  const tokens = new PushTokens()
  const drawn = Array.from({ length: 5_000 }, () => {
    const { token, hash } = tokens.next()
    return { token, hash: Buffer.from(hash).toString('hex') }
  })
  t.assert.equal(new Set(drawn.map(({ token }) => token)).size, drawn.length)
  for (const { token, hash } of drawn) t.assert.equal(hash, Buffer.from(hashToken(token)).toString('hex'))
  t.assert.match(drawn[0]!.token, /^cp_[\w-]{43}$/)
  const steps = drawn.filter(({ hash }, i) => i > 0 && hash < drawn[i - 1]!.hash).length
  t.assert.equal(steps, 2, 'one step back a block: of 1,024, 2,048 and 4,096')
})
