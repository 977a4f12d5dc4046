import test, { type TestContext, after } from 'node:test'
import { startCarillon } from './harness/carillon.ts'

const DAY_MS = 86_400_000

const limit = { timeout: 60_000 }
const carillon = await startCarillon({ after })

test('a token is made, shown once, used, listed without itself, and ends everywhere when it is revoked', limit, async (t: TestContext) => {
  const { admin } = carillon
  const { id, token } = await carillon.ok('/app/token/create', { token: admin, body: { name: 'back end' } })
  t.assert.match(token, /^ca_[\w-]{43}$/)
  const list = await carillon.ok('/app/token/list', { token })
  t.assert.deepEqual(list.map((row: { name: string; current: boolean }) => [row.name, row.current]), [['first start', false], ['back end', true]])
  t.assert.doesNotMatch(JSON.stringify(list), new RegExp(token))

  await carillon.ok('/app/token/revoke', { token: admin, body: { id } })
  await carillon.until(() => carillon.call('/app/setting', { token }), ({ code }) => code === 10008)
  t.assert.equal((await carillon.call('/app/token/revoke', { token: admin, body: { id } })).code, 12011)
  const actions = (await carillon.ok('/app/audit', { token: admin })).map((row: { action: string; detail: { token_id?: number } }) => [row.action, row.detail.token_id])
  t.assert.deepEqual(actions.slice(0, 2), [['token.revoke', id], ['token.create', id]])
})

test('one that has an end is refused after it, and an end that is over is refused at once', limit, async (t: TestContext) => {
  const { admin } = carillon
  const over = await carillon.call('/app/token/create', { token: admin, body: { expires_at: Date.now() - 1 } })
  t.assert.equal(over.code, 10002)
  t.assert.match(over.message!, /^expires_at must be in the future/)
  const { id } = await carillon.ok('/app/token/create', { token: admin, body: { expires_at: Date.now() + DAY_MS } })
  const rows: { id: number; expires_at: number }[] = await carillon.ok('/app/token/list', { token: admin })
  t.assert.ok(rows.find((row) => row.id === id)!.expires_at > Date.now())
  const { token } = await carillon.ok('/app/token/create', { token: admin, body: { expires_at: Date.now() + 1_000 } })
  await carillon.until(() => carillon.call('/app/setting', { token }), ({ code }) => code === 402)
})
