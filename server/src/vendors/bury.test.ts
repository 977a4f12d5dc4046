import test, { type TestContext } from 'node:test'
import { plainVendor, reply, sentTo, startDesk } from './desk.fixture.ts'

const timeout = 10_000
const limits = { batch: 1, concurrency: 1, perSecond: 1_000_000, counts: 'requests', timeoutMs: 10_000 } as const

test('too many dead tokens are found out also by an answer that calls none dead', { timeout }, async (t: TestContext) => {
  const { sender, store, send, desk } = startDesk(t, plainVendor({ limits }))
  sender.answer = (errand) => reply(sentTo(errand).to.map((token) => (token.startsWith('dead') ? { kind: 'dead', why: 'gone' } : { kind: 'sent' })))
  // 15 of 49 are too many, but only with the 50th answer are there enough to say so.
  const tokens = Array.from({ length: 49 }, (_, i) => (i < 15 ? `dead ${i}` : `live ${i}`))
  await send(tokens)
  t.assert.equal(store.named('quarantineTokens').length, 15)
  t.assert.equal(store.named('releaseTokens').length, 0)
  await send(['live 49'])
  t.assert.equal(store.named('releaseTokens').length, 1)
  t.assert.notEqual((await desk.reports(1))[0]!.doubtedSince, undefined)
})
