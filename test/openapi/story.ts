import type { Carillon, Login } from '../harness/carillon.ts'
import { some } from './some.ts'

export interface Story {
  login: Login
  /** The same value with the people and things of the examples replaced by those that really are there. */
  told<V>(value: V): V
}

let count = 0

/**
 * Makes the people and things the examples speak of, anew for each: what one example ends, another one needs. Names
 * that must be unique get a number.
 */
export const settle = async (carillon: Carillon, example: unknown): Promise<Story> => {
  count += 1
  const names = new Map<unknown, unknown>(
    [some.username, 'ben', 'cid', some.email, 'ben@example.com'].map((name) => [name, `${count}${name}`]),
  )
  names.set(some.mobile, `${some.mobile}${count}`)
  names.set('+4915100001009', `+4915200001009${count}`)
  const rename = (value: unknown): unknown => names.get(value) ?? value
  const admin = { token: carillon.admin }
  const { username, password, mobile, email } = some
  // A hash takes a while: whose password nobody asks for has none.
  const asked = JSON.stringify(example ?? null).includes(password)
  const row = { username: rename(username), mobile: rename(mobile), email: rename(email), ...(asked && { password }) }
  const [made] = await carillon.ok('/user/register/batch', { ...admin, body: { list: [row] } })
  const login = await carillon.tokenFor(made.user_id, some.device_guid)
  const user = { token: login.token }
  const { group_id } = await carillon.ok('/group/create', { ...admin, body: { name: 'staff', members: [made.user_id] } })
  await carillon.ok('/user/push/tag', { ...user, body: { tags: ['de'] } })
  await carillon.ok('/push/certificate', {
    ...admin,
    method: 'PUT',
    body: { provider: 3, name: 'com.example.app', app_secret: 'AppSecretFromTheConsole==' },
  })
  await carillon.ok('/user/token/bind', { ...user, body: { provider: 3, device_token: `regid ${count}` } })
  // Where nobody listens, and nobody outside is asked.
  const hook = 'http://127.0.0.1:1/carillon'
  names.set('https://backend.example.com/carillon', hook)
  await carillon.ok('/app/webhook', { ...admin, method: 'PUT', body: { url: hook } })
  // As the user, whom it reaches: seen by the user and by the admin alike.
  const message = { title: 'Hello', body: 'there', ext: { order: 7 } }
  const setting = { distribution_strategy: 'nativepush_only', time_to_live: 3600 }
  const task = await carillon.notify({ audience: 'all', message, setting }, user)
  const { id: tokenId } = await carillon.ok('/app/token/create', { ...admin, body: { name: 'back end' } })
  for (const [example, real] of [
    [some.token_id, tokenId],
    [some.user_id, made.user_id],
    [some.group_id, group_id],
    [some.task_id, task],
    [some.push_token, login.push_token],
    [some.admin_token, carillon.admin],
    ['order-7', `order-${count}`],
  ])
    names.set(example, real)
  const told = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(told)
    if (typeof value === 'object' && value !== null) return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, told(item)]))
    return rename(value)
  }
  return { login, told: (value) => told(value) as never }
}
