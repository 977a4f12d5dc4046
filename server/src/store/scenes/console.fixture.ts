import { createApp, setAppSettings } from '../apps.ts'
import { putCertificate } from '../certificates.ts'
import { addEvent, setWebhook, settleEvent } from '../events.ts'
import { eraseDevice, pushesToMany, pushesToOne, readDevice } from '../device-detail.ts'
import { findDevices, findUser, readFound } from '../device-search.ts'
import { bindVendorToken, setAlias, setUserPush } from '../devices.ts'
import { countOnline, purgeFigures, readMinutes, writeFigures } from '../figures.ts'
import { createGroup } from '../groups.ts'
import { startNode, writePresence } from '../nodes.ts'
import { readOverview } from '../overview.ts'
import { NOW, addDevice, addUser, newBatch, newTask, sha } from '../people.fixture.ts'
import { quarantineTokens } from '../quarantine.ts'
import { foldSizes, readSizes } from '../sizes.ts'
import { addTags } from '../tags.ts'
import { sumPart, sumTasks } from '../task-look.ts'
import { insertTask } from '../tasks.ts'
import { findUsers, readUser } from '../user-search.ts'
import { deleteUser, insertUsers } from '../users.ts'
import type { Book } from './book.fixture.ts'

const minute = (more: object) => ({
  app: 1, minute: 100, channel: 'fcm' as const, accepted: 0, target: 3, sent: 2, received: 1, ...more,
})

/** What people ask who look at an app. */
export const consoleScene = async (book: Book): Promise<void> => {
  const { store } = book
  for (const appId of ['one', 'two']) await book.write(createApp, { appId, name: `App ${appId}`, actor: '', now: NOW })
  const node = await book.write(startNode, { now: NOW })
  const [ann, bob] = [await addUser(store, 1, 'ann'), await addUser(store, 1, 'bob')]
  await addUser(store, 2, 'ann')
  for (const [user, guid] of [[ann, 'a1'], [ann, 'a2'], [bob, 'b1']] as const) await addDevice(store, 1, user, guid)

  await book.read(readSizes, { app: 1 })
  await book.write(deleteUser, { app: 1, id: ann, actor: '', now: NOW })
  await book.write(foldSizes, {})
  await book.write(foldSizes, {})
  for (const app of [1, 2, 3]) await book.read(readSizes, { app })

  await book.write(
    writeFigures, {
      node, minutes: [minute({}), minute({ channel: '', accepted: 4 })], online: [{ app: 1, online: 5 }],
    },
  )
  await book.write(
    writeFigures, {
      node, minutes: [minute({}), minute({ minute: 101 })], online: [{ app: 1, online: 4 }, { app: 2, online: 1 }],
    },
  )
  await book.write(
    writeFigures, {
      node: node + 1, minutes: [minute({ sent: 9 }), minute({ app: 2 })], online: [{ app: 1, online: 7 }],
    },
  )
  await book.read(readMinutes, { app: 1, since: 100 })
  await book.read(readMinutes, { app: 1, since: 101 })
  for (const nodes of [[node], [node, node + 1], []]) await book.read(countOnline, { app: 1, nodes })

  const batches = [
    newBatch([1, 2], { channel: 'xiaomi' }), newBatch([3], { dueAt: NOW - 1 }), newBatch(
      [4], { channel: 'held', dueAt: NOW + 1 },
    ),
  ]
  const task = await book.write(insertTask, { task: newTask(), batches })
  await book.write(insertTask, { task: newTask({ planAt: NOW - 5 }), batches: null })
  await book.write(insertTask, { task: newTask({ planAt: NOW + 5 }), batches: null })
  await book.read(sumTasks, { ids: [task.id, 2, 99] })
  for (const after of [-1, 2, 1_000]) await book.read(sumPart, { taskId: task.id, after, some: 2 })
  const fields = { name: 'prod', app_id: '', app_key: '', secrets: Uint8Array.of(1), expires_at: NOW + 10 }
  await book.write(putCertificate, { place: { app: 1, vendor: 'apns', environment: 1 }, fields, actor: 'x', now: NOW })
  await book.write(setWebhook, { app: 1, url: 'https://x.example', secret: Uint8Array.of(3), actor: '', now: NOW })
  for (const at of [NOW, NOW + 1]) await book.write(addEvent, { app: 1, kind: 'webhook.test', data: {}, now: at })
  await book.write(setAppSettings, { app: 1, change: { push_enabled: false }, actor: '', now: NOW + 7 })
  const asked = { nodes: [node], since: 50, now: NOW }
  await book.read(readOverview, { app: 1, ...asked, endingBefore: NOW + 11, pushOff: true })
  await book.read(readOverview, { app: 2, ...asked, endingBefore: NOW, pushOff: false })
  await book.write(settleEvent, { id: 1, attempt: 0, delivered: false, answer: 'HTTP 500', dueAt: null, now: NOW })
  await book.read(readOverview, { app: 1, ...asked, endingBefore: NOW, pushOff: false })
  await book.write(settleEvent, { id: 2, attempt: 0, delivered: true, answer: 'HTTP 200', dueAt: null, now: NOW })
  await book.read(readOverview, { app: 1, ...asked, endingBefore: NOW, pushOff: false })

  await looksFor(book, node)
  await book.write(purgeFigures, { before: 101 })
  await book.read(readMinutes, { app: 1, since: 0 })
  await book.read(countOnline, { app: 1, nodes: [node, node + 1] })
}

/** Who and what is found, by which words. */
const looksFor = async (book: Book, node: number): Promise<void> => {
  const { store } = book
  const users = ['dora', 'dorian', 'Dora', 'zoé'].map((name, i) => ({
    name, mobile: `+4${i}`, email: `${name}@X.example`, emailKey: `${name.toLowerCase()}${i}@x.example`,
    passwordHash: null,
  }))
  const made = await book.write(insertUsers, { app: 1, users, now: NOW })
  const dora = (made[0] as { id: number }).id
  await book.write(
    setUserPush, { app: 1, userId: dora, enabled: false, quietStart: 22, quietEnd: 7, timeZone: 'Asia/Tokyo' },
  )
  await book.write(createGroup, { app: 1, name: 'staff', members: [dora], now: NOW })
  for (const id of [dora, 999]) await book.read(readUser, { app: 1, id })
  await book.read(readUser, { app: 2, id: dora })
  const asked = { app: 1, after: null, limit: 2 }
  await book.read(findUsers, { ...asked, search: null })
  await book.read(findUsers, { ...asked, search: null, after: { id: dora + 1 } })
  for (const text of ['dor', 'Dora', '+40', 'DORA0@x.example', 'zoé', 'nobody', String(dora)]) {
    const search = { text, userId: /^\d+$/.test(text) ? Number(text) : null, emailKey: text.toLowerCase() }
    await book.read(findUsers, { ...asked, search })
    await book.read(findUser, { app: 1, ...search })
  }
  await book.read(
    findUsers, { ...asked, search: { text: 'dor', userId: null, emailKey: 'dor' }, after: { name: 'dora' } },
  )

  const devices = []
  for (let i = 0; i < 6; i += 1) {
    const device = await addDevice(store, 1, dora, `d${i}`)
    devices.push(device)
    if (i % 2 === 0) await book.write(addTags, { device, tags: ['even', 'd1'], max: 9, now: NOW })
    if (i < 4) await book.write(setAlias, { device, alias: 'desk', now: NOW })
    for (const environment of [0, 1]) {
      await book.write(
        bindVendorToken, {
          device, by: {
            vendor: i === 5 ? 'oppo' : 'vivo', environment,
          }, token: `t${i}${environment}`, platform: null, now: NOW,
        },
      )
    }
  }
  const ids = devices.map(({ deviceId }) => deviceId)
  const place = { app: 1, vendor: 'vivo', environment: 1 } as const
  await book.write(
    quarantineTokens, { place, tokens: [{ deviceId: ids[0]!, token: 't01', before: NOW }], now: NOW + 1 },
  )
  await book.write(
    writePresence, {
      node, arrived: [ids[1]!, ids[5]!].map((deviceId) => ({ deviceId, session: 1 })), left: [], now: NOW,
    },
  )
  await book.write(writePresence, { node: node + 5, arrived: [{ deviceId: ids[2]!, session: 1 }], left: [], now: NOW })
  const all = {
    app: 1, search: null, by: null, online: null, vendor: null, after: Number.MAX_SAFE_INTEGER, limit: 2,
    nodes: [node, node + 1],
  }
  for (const more of [
    {}, { after: ids[3]! }, { online: true }, { online: false }, { vendor: 'vivo' }, { vendor: 'oppo', online: true },
    { vendor: 'apns' },
  ] as const) {
    await book.read(findDevices, { ...all, ...more })
  }
  for (const text of ['d1', 'desk', 'even', 'dora', 'DORA0@x.example', 'push d3', String(dora), 'nothing']) {
    const search = {
      text, hash: sha(text), userId: /^\d+$/.test(text) ? Number(text) : null, emailKey: text.toLowerCase(),
    }
    for (const by of [null, 'tag', 'user'] as const) await book.read(findDevices, { ...all, search, by })
    await book.read(findDevices, { ...all, search, online: true })
  }
  await book.read(readFound, { ids: [ids[1]!, 999, ids[0]!] })
  const device = { app: 1, pushTokenHash: sha('push d0') }
  await book.read(readDevice, { device })
  await book.read(readDevice, { device: { ...device, app: 2 } })

  const sole = newTask({ audienceKind: 'push_token', soleDevice: ids[0]!, title: null })
  await book.write(insertTask, { task: sole, batches: [newBatch([ids[0]!])] })
  await book.write(
    insertTask, {
      task: newTask({ audienceKind: 'user_id', soleUser: dora }), batches: [
        newBatch(ids, { channel: 'none', reason: 'why', state: 'untargeted', dueAt: null }),
      ],
    },
  )
  await book.write(
    insertTask, {
      task: newTask({ title: 'All' }), batches: [newBatch(ids.slice(1), { channel: 'vivo' }), newBatch([ids[0]!])],
    },
  )
  for (const [before, limit] of [[Number.MAX_SAFE_INTEGER, 3], [Number.MAX_SAFE_INTEGER, 1], [2, 3], [1, 3]] as const) await book.read(
    pushesToOne, { deviceId: ids[0]!, userId: dora, before, blocks: 2, limit },
  )
  for (const before of [Number.MAX_SAFE_INTEGER, 4, 1]) await book.read(
    pushesToMany, { app: 1, deviceId: ids[0]!, before, some: 2 },
  )
  for (const app of [2, 1, 1]) await book.write(eraseDevice, { device: { ...device, app }, actor: 'x', now: NOW })
  await book.read(readSizes, { app: 1 })
}
