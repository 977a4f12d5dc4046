import type pg from 'pg'

/** There from the first row that another store's move brings into a database until the last one was checked. */
export const MOVING_IN = 'moving_in'

export interface MovingIn {
  /** The name of the move. */
  move: string
  /** The indexes that are made when all rows are there, as statements. */
  indexes: string[]
}

export const movingIn = async (client: pg.Client): Promise<MovingIn | undefined> => {
  const { rows: [there] } = await client.query<{ name: string | null }>(`SELECT to_regclass('${MOVING_IN}') AS name`)
  if (there!.name === null) return undefined
  const { rows } = await client.query<{ move: string; indexes: string }>(`SELECT move, indexes FROM ${MOVING_IN}`)
  return { move: rows[0]!.move, indexes: JSON.parse(rows[0]!.indexes) as string[] }
}

/**
 * Takes away the indexes but for those of keys, to be made again: for a million devices that is several times quicker
 * than keeping them in order row by row.
 */
export const beginMovingIn = async (client: pg.Client, move: string, tables: readonly string[]): Promise<void> => {
  const { rows: indexes } = await client.query<{ name: string; statement: string }>(
    `SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS statement
     FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relname = ANY ($1)
       AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid)`,
    [tables],
  )
  await client.query('BEGIN')
  await client.query(`CREATE TABLE ${MOVING_IN} (move TEXT NOT NULL, indexes TEXT NOT NULL)`)
  await client.query(`INSERT INTO ${MOVING_IN} VALUES ($1, $2)`, [move, JSON.stringify(indexes.map(({ statement }) => statement))])
  for (const { name } of indexes) await client.query(`DROP INDEX ${name}`)
  await client.query('COMMIT')
}
