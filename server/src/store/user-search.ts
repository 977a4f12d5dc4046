import { findUser } from './device-search.ts'
import type { PushWishes } from './device-detail.ts'
import { type Tx, list } from './store.ts'
import type { ListedUser } from './users.ts'

/** Where the next page of users begins: before an id, or after a name. */
export type UserCursor = { id: number } | { name: string }

interface UserPage {
  users: ListedUser[]
  next: UserCursor | null
}

export interface UserQuestion {
  app: number
  /** null: all users, newest first. */
  search: { text: string; userId: number | null; emailKey: string } | null
  after: UserCursor | null
  limit: number
}

const COLUMNS = `id, name, mobile, email, disabled, created_at,
  CASE WHEN password_hash IS NULL THEN 0 ELSE 1 END AS has_password`

// Behind every text that begins with the same letters.
const LAST_CHARACTER = '\u{10ffff}'

/**
 * All users, newest first; or those whose username begins with a text, in the order of their names, and before them
 * whoever has it as id, mobile number or email.
 */
export const findUsers = async (tx: Tx, { app, search, after, limit }: UserQuestion): Promise<UserPage> => {
  if (!search) {
    const before = after && 'id' in after ? after.id : Number.MAX_SAFE_INTEGER
    const users = await tx.all<ListedUser>(
      `SELECT ${COLUMNS} FROM users WHERE app = ?1 AND id < ?2 ORDER BY id DESC LIMIT ?3`, app, before, limit + 1,
    )
    return paged(users, limit, ({ id }) => ({ id }))
  }
  const from = after && 'name' in after ? after.name : null
  const named = await tx.all<ListedUser>(
    `SELECT ${COLUMNS} FROM users WHERE app = ?1 AND name >= ?2 AND name < ?3 AND (name > ?4 OR ?4 IS NULL)
     ORDER BY name LIMIT ?5`,
    app, from ?? search.text, search.text + LAST_CHARACTER, from, limit + 1,
  )
  const exact = await findUser(tx, { app, ...search })
  const first = exact && !after ? await tx.all<ListedUser>(`SELECT ${COLUMNS} FROM users WHERE id = ?1`, exact.id) : []
  const page = paged(named, limit, ({ name }) => ({ name }))
  return { ...page, users: [...first, ...page.users.filter(({ id }) => id !== exact?.id)] }
}

const paged = (users: ListedUser[], limit: number, cursor: (last: ListedUser) => UserCursor): UserPage => {
  const shown = users.slice(0, limit)
  return { users: shown, next: users.length > limit ? cursor(shown.at(-1)!) : null }
}

export interface UserDetail extends ListedUser, PushWishes {
  groups: { id: number; name: string }[]
}

const GROUPS_SHOWN = 200

/** All there is to see of one user but the devices; undefined: no such user. */
export const readUser = async (tx: Tx, { app, id }: { app: number; id: number }): Promise<UserDetail | undefined> => {
  const user = await tx.get<ListedUser & PushWishes>(
    `SELECT ${COLUMNS}, push_enabled, quiet_start, quiet_end, time_zone FROM users WHERE id = ?1 AND app = ?2`, id, app,
  )
  if (!user) return undefined
  const memberships = await tx.all<{ group_id: number }>(
    `SELECT group_id FROM group_members WHERE user_id = ?1 ORDER BY group_id LIMIT ${GROUPS_SHOWN}`, id,
  )
  const ids = list(memberships.map(({ group_id }) => group_id))
  const groups = await tx.all<{ id: number; name: string }>(
    'SELECT id, name FROM user_groups WHERE id any_int(?1) ORDER BY id', ids,
  )
  return { ...user, groups }
}
