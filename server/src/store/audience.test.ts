import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test, { type TestContext } from 'node:test'
import { type AudienceQuestion, type StoredAudience, nextCandidate, nextQuery, readWindow, windowQuery } from './audience.ts'
import type { ScopeKind } from './scope.ts'
import { Connection } from './sqlite/connection.ts'
import { databaseFile, openSqlite } from './sqlite/sqlite.ts'

interface Row {
  id: number
  app: number
  user: number
  tags: string[]
  alias: string
}

// Two apps, ten users each, three devices a user, with labels that repeat across users and apps.
const rows: Row[] = Array.from({ length: 60 }, (_, i) => {
  const user = 1 + Math.floor(i / 3)
  return { id: i + 1, app: user <= 10 ? 1 : 2, user, tags: [`t${i % 4}`, `u${i % 7}`], alias: `a${i % 5}` }
})
const groups: Record<number, number[]> = { 1: [1, 2, 3, 15], 2: [11, 12] }

const fill = async (t: TestContext): Promise<Connection> => {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-audience-'))
  await (await openSqlite(folder)).close()
  const db = new DatabaseSync(databaseFile(folder), { enableForeignKeyConstraints: false })
  for (let user = 1; user <= 20; user++) {
    db.prepare('INSERT INTO users (id, app, name, created_at) VALUES (?, ?, ?, 0)').run(user, user <= 10 ? 1 : 2, `user ${user}`)
  }
  for (const { id, app, user, tags, alias } of rows) {
    db.prepare(
      `INSERT INTO devices (id, app, user_id, guid, push_token_hash, push_token, alias, created_at, seen_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0)`,
    ).run(id, app, user, `g${id}`, Uint8Array.of(id), Uint8Array.of(0), alias)
    for (const tag of tags) db.prepare('INSERT INTO device_tags (app, tag, device_id) VALUES (?, ?, ?)').run(app, tag, id)
  }
  for (const [group, users] of Object.entries(groups)) {
    for (const user of users) db.prepare('INSERT INTO group_members (group_id, user_id) VALUES (?, ?)').run(Number(group), user)
  }
  db.close()
  const connection = new Connection(databaseFile(folder), { readOnly: true })
  t.after(async () => {
    connection.close()
    await rm(folder, { recursive: true })
  })
  return connection
}

const meant = (row: Row, audience: StoredAudience): boolean => {
  if ('all' in audience) return true
  if ('tag' in audience) return audience.tag.some((tag) => row.tags.includes(tag))
  if ('alias' in audience) return audience.alias.includes(row.alias)
  if ('user_id' in audience) return audience.user_id.includes(row.user)
  return audience.device_id.includes(row.id)
}

const audiences: StoredAudience[] = [
  { all: true },
  { tag: ['t1'] },
  { tag: ['t1', 'u2', 'u3', 'nobody'] },
  { alias: ['a2'] },
  { alias: ['a2', 'a4', 'nobody'] },
  { user_id: [3] },
  { user_id: [2, 3, 12, 99] },
  { user_id: [] },
  { device_id: [4, 5, 40, 99], push_tokens: 4 },
  { device_id: [7], push_tokens: 1 },
  { device_id: [], push_tokens: 1 },
]
const scopes: [ScopeKind, number, (row: Row) => boolean][] = [
  ['app', 0, () => true],
  ['user', 3, (row) => row.user === 3],
  ['user', 12, (row) => row.user === 12],
  ['group', 1, (row) => groups[1]!.includes(row.user)],
  ['group', 2, (row) => groups[2]!.includes(row.user)],
]

test('an audience is exactly the devices it names, in the app and scope, window by window', async (t: TestContext) => {
  const tx = await fill(t)
  for (const app of [1, 2]) {
    for (const audience of audiences) {
      for (const [scopeKind, scopeId, inScope] of scopes) {
        const question: AudienceQuestion = { app, scopeKind, scopeId, audience }
        const expected = rows.filter((row) => row.app === app && meant(row, audience) && inScope(row)).map(({ id }) => id)
        const label = JSON.stringify(question)
        const whole = await readWindow(tx, { question, from: 0, to: Number.MAX_SAFE_INTEGER, most: 100 })
        t.assert.deepEqual(whole!.map(({ id }) => id), expected, label)
        const walked: number[] = []
        let from = 0
        for (let next; (next = await nextCandidate(tx, { question, from })) !== undefined; from = next + 6) {
          t.assert.deepEqual(expected.filter((id) => id > from && id < next!), [], `${label}: nothing before the next candidate`)
          walked.push(...(await readWindow(tx, { question, from: next - 1, to: next + 6, most: 100 }))!.map(({ id }) => id))
        }
        t.assert.deepEqual(walked, expected, label)
      }
    }
  }
})

test('a window with more devices than asked for says so instead of cutting them off', async (t: TestContext) => {
  const tx = await fill(t)
  const question: AudienceQuestion = { app: 1, scopeKind: 'app', scopeId: 0, audience: { all: true } }
  t.assert.equal(await readWindow(tx, { question, from: 0, to: 100, most: 29 }), undefined)
  t.assert.equal((await readWindow(tx, { question, from: 0, to: 100, most: 30 }))!.length, 30)
})

test('a list is found by its own index: the app is walked only for everybody', async (t: TestContext) => {
  const tx = await fill(t)
  for (const audience of audiences.filter((one) => !('all' in one))) {
    for (const [scopeKind, scopeId] of scopes) {
      const question: AudienceQuestion = { app: 1, scopeKind, scopeId, audience }
      for (const { sql, values } of [windowQuery(question, 0, 100, 10), nextQuery(question, 0)]) {
        const plan = (await tx.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...values)).map(({ detail }) => detail)
        t.assert.deepEqual(plan.filter((step) => /devices_app|SCAN (d|u|t|devices)\b/.test(step)), [], `${JSON.stringify(question)}: ${plan.join(' | ')}`)
      }
    }
  }
})
