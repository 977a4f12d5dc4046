/** What another page opens Compose with: a task to send again, or whom to send to. */
export interface OpenedWith {
  task?: number
  push_token?: string
  alias?: string
  tag?: string
  user_id?: number
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined

const idOf = (value: unknown): number | undefined =>
  Number.isSafeInteger(Number(value)) && value !== '' ? Number(value) : undefined

/** Reads it off the address: anybody may have typed that. */
export const openedWith = (search: Record<string, unknown>): OpenedWith => {
  const { task, push_token, alias, tag, user_id } = search
  const read = {
    task: idOf(task),
    push_token: textOf(push_token),
    alias: textOf(alias),
    tag: textOf(tag),
    user_id: idOf(user_id),
  }
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined))
}
