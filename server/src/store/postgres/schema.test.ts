import { readFileSync, readdirSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import test, { type TestContext, after } from 'node:test'
import pg from 'pg'
import { startPostgres } from '../../../../scripts/throwaway-postgres.ts'
import { createApp, listApps } from '../apps.ts'
import { openPostgres } from './postgres.ts'

const server = await startPostgres()
after(() => server.stop())
const limit = { timeout: 60_000 }

const folder = new URL('../migrations/', import.meta.url)

const ask = async <R extends pg.QueryResultRow>(url: string, sql: string): Promise<R[]> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<R>(sql)).rows
  } finally {
    await client.end()
  }
}

const sqlite = (): DatabaseSync => {
  const db = new DatabaseSync(':memory:')
  for (const name of readdirSync(folder).sort()) db.exec(readFileSync(new URL(name, folder), 'utf8'))
  return db
}

const TYPES: Record<string, string> = { INTEGER: 'bigint', TEXT: 'text', BLOB: 'bytea' }

test('both engines have the same tables, columns, kinds of values and must-haves', limit, async (t: TestContext) => {
  const url = await server.database()
  await (await openPostgres(url)).close()
  const expected = sqlite().prepare(
    `SELECT t.name AS "table", c.name AS "column", c.type AS type, c."notnull" OR c.pk > 0 AS needed FROM pragma_table_list t JOIN pragma_table_info(t.name) c
     WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite%' ORDER BY 1, 2`,
  ).all() as { table: string; column: string; type: string; needed: number }[]
  const found = await ask(url,
    `SELECT table_name AS "table", column_name AS "column", data_type AS type, (is_nullable = 'NO')::int AS needed, collation_name AS collation
     FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> 'schema_version' ORDER BY table_name COLLATE "C", column_name COLLATE "C"`)
  t.assert.deepEqual(found, expected.map((row) => ({ ...row, type: TYPES[row.type], collation: row.type === 'TEXT' ? 'C' : null })))
})

test('both engines have the same indexes, with the same conditions', limit, async (t: TestContext) => {
  const url = await server.database()
  await (await openPostgres(url)).close()
  const shape = (sql: string): string => {
    const [, unique, on, condition] = /^CREATE (UNIQUE )?INDEX \w+ ON (?:public\.)?(\w+(?: USING btree)? \(.*?\))(?: WHERE (.*))?$/.exec(sql)!
    return `${unique ?? ''}${on!.replace(' USING btree', '').replace(/[()]/g, '')} where ${(condition ?? '').replace(/[()]|::text/g, '')}`
  }
  const expected = (sqlite().prepare(`SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name`).all() as { name: string; sql: string }[])
  const names = expected.map(({ name }) => `'${name}'`).join(', ')
  const found = await ask<{ name: string; sql: string }>(url, `SELECT indexname AS name, indexdef AS sql FROM pg_indexes WHERE indexname IN (${names}) ORDER BY indexname COLLATE "C"`)
  t.assert.deepEqual(found.map(({ name, sql }) => [name, shape(sql)]), expected.map(({ name, sql }) => [name, shape(sql)]))
})

test('nodes that open an empty database at once make one schema', limit, async (t: TestContext) => {
  const url = await server.database()
  const stores = await Promise.all(Array.from({ length: 5 }, () => openPostgres(url)))
  t.after(() => Promise.all(stores.map((store) => store.close())))
  for (const [i, store] of stores.entries()) await store.write(createApp, { appId: `app ${i}`, name: '', actor: '', now: 1 })
  t.assert.deepEqual((await stores[0]!.read(listApps, {})).map(({ id }) => id), [1, 2, 3, 4, 5])
})

test('a database made by a newer version is refused in words', limit, async (t: TestContext) => {
  const url = await server.database()
  await (await openPostgres(url)).close()
  await ask(url, 'UPDATE schema_version SET version = 999')
  await t.assert.rejects(openPostgres(url), /newer Carillon/)
})

test('a database that cannot hold every text is refused in words', limit, async (t: TestContext) => {
  const url = await server.database()
  await ask(url, `CREATE DATABASE latin ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0`)
  await t.assert.rejects(openPostgres(url.replace(/[^/]*$/, 'latin')), /encoding UTF8, not LATIN1/)
})
