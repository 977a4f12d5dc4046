import test, { type TestContext } from 'node:test'
import { list, rows } from '../store.ts'
import { isFree, statementOf, translate } from './sql.ts'

const text = (sql: string): string => translate(sql).text

test('places for values are numbered', (t: TestContext) => {
  t.assert.equal(text('SELECT a FROM b WHERE c = ? AND d > ? LIMIT ?'), 'SELECT a FROM b WHERE c = $1 AND d > $2 LIMIT $3')
  t.assert.equal(text('SELECT a FROM b WHERE c = ?2 AND (d = ?1 OR e = ?12)'), 'SELECT a FROM b WHERE c = $2 AND (d = $1 OR e = $12)')
})

test('lists are arrays', (t: TestContext) => {
  t.assert.equal(text('DELETE FROM a WHERE b = ?1 AND c any_text(?2)'), 'DELETE FROM a WHERE b = $1 AND c = ANY ($2::text[])')
  t.assert.equal(
    text('SELECT d.id FROM each_int(?1) w JOIN /*in order*/ devices d WHERE d.id = w.value'),
    'SELECT d.id FROM devices d WHERE d.id = ANY ($1::bigint[])',
  )
  t.assert.equal(
    text('SELECT min(m.id) AS id FROM (SELECT (SELECT min(d.id) FROM devices d WHERE d.user_id = w.value) AS id FROM each_int(?2) w) m'),
    'SELECT min(m.id) AS id FROM (SELECT (SELECT min(d.id) FROM devices d WHERE d.user_id = w.value) AS id FROM unnest($2::bigint[]) w (value)) m',
  )
  const { bind } = translate('SELECT 1 AS one FROM a WHERE b any_int(?1) AND c any_text(?2) AND d = ?3')
  t.assert.deepEqual(bind([list([1, 2 ** 53 - 1]), list(['a,"b"', '{}']), '[1]']), ['{1,9007199254740991}', ['a,"b"', '{}'], '[1]'])
  t.assert.deepEqual(bind([list([]), list([]), null]), ['{}', [], null])
})

test('rows are an array for each column, joined by the first one as an array too', (t: TestContext) => {
  const { text: sql, bind } = translate('UPDATE a SET b = w.b, c = ?1 FROM each_row(?2) w (id int, b text, d bytes) WHERE a.id = w.id AND e = ?3')
  t.assert.equal(
    sql,
    'UPDATE a SET b = w.b, c = $1 FROM unnest($2::bigint[], $4::text[], $5::bytea[]) w (id, b, d) WHERE a.id = ANY ($2::bigint[]) AND a.id = w.id AND e = $3',
  )
  const given = rows([[1, 'x "{\\', Uint8Array.of(0, 255)], [2 ** 53 - 1, null, null]])
  t.assert.deepEqual(bind([9, given, 8]), [9, '{1,9007199254740991}', 8, ['x "{\\', null], ['\\x00ff', null]])
  t.assert.deepEqual(bind([9, rows([]), 8]), [9, '{}', 8, [], []])
  t.assert.equal(
    text('INSERT INTO a (b, c) SELECT w.b, ? FROM each_row(?) w (b int, d int) WHERE true ON CONFLICT DO NOTHING'),
    'INSERT INTO a (b, c) SELECT w.b, $1 FROM unnest($2::bigint[], $3::bigint[]) w (b, d) WHERE true ON CONFLICT DO NOTHING',
  )
})

test('a statement has one name for good', (t: TestContext) => {
  t.assert.equal(statementOf('SELECT 1 AS one'), statementOf('SELECT 1 AS one'))
  t.assert.notEqual(statementOf('SELECT 1 AS one').name, statementOf('SELECT 2 AS two').name)
})

test('what holds or changes a row that others know of is not free', (t: TestContext) => {
  for (const sql of ['SELECT a FROM b', '\n  SELECT a FROM b', 'INSERT INTO a (b) VALUES (?) ON CONFLICT DO NOTHING RETURNING id']) t.assert.equal(isFree(sql), true, sql)
  for (const sql of [
    'SELECT a FROM b for update', 'SELECT a FROM b LIMIT 1 for update skip locked', 'SELECT a FROM b for share', 'UPDATE a SET b = 1', 'DELETE FROM a',
    'INSERT INTO a (b) VALUES (?) ON CONFLICT (b) DO UPDATE SET b = 1', 'WITH x AS (DELETE FROM a RETURNING id) SELECT id FROM x',
  ]) t.assert.equal(isFree(sql), false, sql)
})
