import { createHash } from 'node:crypto'
import type { NewBatch } from './batches.ts'
import type { DeviceOfUser } from './devices.ts'
import { logIn } from './login.ts'
import type { Store } from './store.ts'
import type { NewTask } from './tasks.ts'
import { deviceInScope } from './trace.ts'
import { insertUsers } from './users.ts'

export const NOW = 1_800_000_000_000

export const sha = (text: string): Uint8Array => Uint8Array.from(createHash('sha256').update(text).digest())

export const addUser = async (store: Store, app: number, name: string): Promise<number> => {
  const users = [{ name, mobile: null, email: null, emailKey: null, passwordHash: 'hash' }]
  const [made] = await store.write(insertUsers, { app, users, now: NOW })
  return (made as { id: number }).id
}

export const login = (app: number, userId: number, guid: string, of = guid) => ({
  app,
  userId,
  token: { hash: sha(`token ${of}`), storeHash: sha(`store ${of}`), fileKey: sha('key'), expiresAt: NOW + 1_000_000 },
  device: { guid, pushTokenHash: sha(`push ${of}`), pushToken: sha(`sealed ${of}`) },
  by: { actor: 'test' },
  now: NOW,
})

export const addDevice = async (store: Store, app: number, userId: number, guid: string): Promise<DeviceOfUser & { deviceId: number }> => {
  await store.write(logIn, login(app, userId, guid))
  const id = await store.read(deviceInScope, { app, scopeKind: 'app', scopeId: 0, pushTokenHash: sha(`push ${guid}`) })
  return { app, userId, deviceId: id!, pushTokenHash: null }
}

export const newTask = (more: Partial<NewTask> = {}): NewTask => ({
  app: 1, scopeKind: 'app', scopeId: 0, requestId: null, audience: '{"all":true}', setting: '{}', message: '{"title":"Hello"}', collapseId: null,
  audienceKind: 'all', soleUser: null, soleDevice: null, title: 'Hello',
  dryRun: false, acceptedAt: NOW, planAt: NOW, expiresAt: NOW + 86_400_000, urgent: false, badge: null, inboxLimit: 1_000, ...more,
})

export const newBatch = (devices: number[], more: Partial<NewBatch> = {}): NewBatch => ({
  page: devices.at(-1) ?? 0, channel: 'nativepush', environment: 1, reason: null, tried: [], devices, state: 'pending', badges: null, node: null,
  dueAt: NOW, ...more,
})
