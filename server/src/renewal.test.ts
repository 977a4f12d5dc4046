import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { pino } from 'pino'
import { Presence } from './presence.ts'
import { takeUpSessions } from './renewal.ts'
import { joinNode, leaveNode, renewNode } from './store/heart-beats.ts'
import { NOW, addDevice, addUser } from './store/people.fixture.ts'
import { openSqlite } from './store/sqlite/sqlite.ts'

test('after it was taken for dead, a node ends the sessions of devices that are elsewhere, and the others go on', async (t: TestContext) => {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-renewal-'))
  const store = await openSqlite(folder)
  t.after(async () => {
    await store.close()
    await rm(folder, { recursive: true })
  })
  const joining = { parts: ['gateway'], address: '', now: NOW }
  const user = await addUser(store, 1, 'ann')
  const [stays, moves] = [(await addDevice(store, 1, user, 'stays')).deviceId, (await addDevice(store, 1, user, 'moves')).deviceId]
  const numbers = { here: await store.write(joinNode, joining), there: await store.write(joinNode, joining) }
  const presenceAt = (at: 'here' | 'there') =>
    new Presence({ store, clock: { now: () => NOW }, log: pino({ level: 'silent' }), node: () => numbers[at], told: () => {} })
  const [here, there] = [presenceAt('here'), presenceAt('there')]
  await Promise.all([here.arrived(stays, 1), here.arrived(moves, 2)])

  const before = numbers.here
  await store.write(leaveNode, { node: before, now: NOW }) // the others took it for dead
  await there.arrived(moves, 1)
  numbers.here = await store.write(renewNode, { before, ...joining })
  const [ended, again] = [[] as [number, number][], [] as number[]]
  let woken = 0
  const sessions = {
    numbers: new Map([[stays, 1], [moves, 2]]),
    closeMoved: (device: number, number: number) => void ended.push([device, number]),
    wakeAll: () => void (woken += 1),
  }
  const lookAgain = (device: number): void => void again.push(device)
  await takeUpSessions({ store, log: pino({ level: 'silent' }), membership: { node: numbers.here }, presence: here, sessions, lookAgain }, before)
  t.assert.deepEqual(ended, [[moves, 2]])
  t.assert.equal(woken, 1)
  t.assert.deepEqual(again, [stays, moves])
})
