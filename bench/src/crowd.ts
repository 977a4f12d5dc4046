import { createWriteStream } from 'node:fs'
import { once } from 'node:events'
import { finished } from 'node:stream/promises'
import type { Login } from '../../test/harness/carillon.ts'
import { run } from '../../test/harness/command.ts'
import { startOn } from './carillon.ts'
import type { Scratch } from './scratch.ts'

const REGISTER_AT_ONCE = 500
const LOGINS_AT_ONCE = 64

/** A prepared data folder; to be copied, not written to. */
export interface Crowd {
  data: string
  /** An admin token of app demo. */
  admin: string
  /** Devices whose credentials are known, so that they can connect. */
  members: Login[]
}

/** How a device shows who it is. */
export const credentialsOf = (members: readonly Login[]): [string, string][] =>
  members.map(({ push_token, token }) => [push_token, token])

/** So many users with a device each, made through the API. */
export const gather = async (scratch: Scratch, size: number): Promise<Crowd> => {
  const data = scratch.newFolder()
  const { carillon, stop } = await startOn(scratch, data)
  const token = carillon.admin
  const userIds: number[] = []
  for (let at = 0; at < size; at += REGISTER_AT_ONCE) {
    const length = Math.min(REGISTER_AT_ONCE, size - at)
    const list = Array.from({ length }, (_, i) => ({ username: `member-${at + i}` }))
    const rows = await carillon.ok<{ user_id: number }[]>('/user/register/batch', { token, body: { list } })
    userIds.push(...rows.map((row) => row.user_id))
  }
  const members: Login[] = []
  const queue = userIds.entries()
  const logIn = async (): Promise<void> => {
    for (const [i, userId] of queue) members[i] = await carillon.tokenFor(userId, `member-${i}`)
  }
  await Promise.all(Array.from({ length: LOGINS_AT_ONCE }, logIn))
  await stop()
  return { data, admin: token, members }
}

/** Adds imported users, with a device each, until there are `size` devices. */
export const grow = async (scratch: Scratch, crowd: Crowd, size: number): Promise<Crowd> => {
  const data = scratch.copyOf(crowd.data)
  const strangers = size - crowd.members.length
  await importLines(scratch, data, 'user', strangers, (i) => `{"name":"stranger-${i}"}\n`)
  const device = (i: number): string => `{"name":"stranger-${i}","device_guid":"stranger-${i}","platform":"android"}\n`
  await importLines(scratch, data, 'device', strangers, device)
  return { ...crowd, data }
}

export const importLines = async (
  scratch: Scratch,
  data: string,
  noun: 'user' | 'device',
  count: number,
  line: (i: number) => string,
): Promise<void> => {
  const file = scratch.file('')
  const stream = createWriteStream(file)
  for (let i = 0; i < count; i++) if (!stream.write(line(i))) await once(stream, 'drain')
  stream.end()
  await finished(stream)
  await run([noun, 'import', '--app', 'demo', file], { env: { CARILLON_DATA: data } })
  scratch.remove(file)
}
