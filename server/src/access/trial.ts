import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { memoryBus } from '../bus/memory.ts'
import type { App } from '../store/scope.ts'
import { openSqlite, type SqliteStore } from '../store/sqlite/sqlite.ts'
import { Access } from './access.ts'
import { makeAdminToken, makeApp } from './apps.ts'
import { Changes } from './changes.ts'
import type { AccessParts } from './parts.ts'
import { type PasswordOptions, Passwords } from './password.ts'
import { Seal } from './seal.ts'
import { Throttle, type ThrottleOptions } from './throttle.ts'

export interface Trial extends AccessParts {
  /** Where the store is. */
  folder: string
  store: SqliteStore
  clock: { now(): number; move(ms: number): void }
  access: Access
  app: App
  /** An admin token of the app. */
  admin: string
  /** How many hashes were computed. */
  hashes(): number
}

/** `before`: what uses the store ends before it does. */
const openFolder = async (t: TestContext, before: () => unknown = () => {}): Promise<{ folder: string; store: SqliteStore }> => {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-access-'))
  const store = await openSqlite(folder)
  t.after(async () => {
    await before()
    await store.close()
    await rm(folder, { recursive: true })
  })
  return { folder, store }
}

export const openStore = async (t: TestContext): Promise<SqliteStore> => (await openFolder(t)).store

/** For tests: all of access on a store of its own, with a clock one moves and a hash that costs nothing. */
export const openTrial = async (
  t: TestContext,
  options: { throttle?: Partial<ThrottleOptions>; passwords?: PasswordOptions } = {},
): Promise<Trial> => {
  const { folder, store } = await openFolder(t, () => changes.stop())
  let now = Date.UTC(2030, 0, 1)
  const clock = { now: () => now, move: (ms: number) => void (now += ms) }
  let hashes = 0
  const derive: PasswordOptions['derive'] = async (password, { salt }, length) => {
    hashes += 1
    return createHash('sha256').update(salt).update(password).digest().subarray(0, length)
  }
  const changes = new Changes(store, memoryBus())
  await changes.start()
  const parts = {
    store,
    clock,
    changes,
    seal: new Seal(Buffer.alloc(32, 7)),
    passwords: new Passwords({ derive, ...options.passwords }),
    throttle: new Throttle(store, clock, options.throttle),
    encryptType: 0,
    publicKey: '',
  } as const
  const access = new Access(parts)
  const { app } = await makeApp(parts, { appId: 'bells', name: 'Bells', actor: 'test' })
  const { token: admin } = await makeAdminToken(parts, app, { name: 'ci', expiresAt: null, actor: 'test' })
  return { ...parts, folder, access, app, admin, hashes: () => hashes }
}
