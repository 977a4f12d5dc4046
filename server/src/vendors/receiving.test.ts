import test, { type TestContext } from 'node:test'
import type { VendorName } from '@carillon/protocol/names.ts'
import { pino } from 'pino'
import { startTrial } from '../push/path.fixture.ts'
import { createApp } from '../store/apps.ts'
import { bindVendorToken } from '../store/devices.ts'
import type { Tx } from '../store/store.ts'
import type { Accounts } from './accounts.ts'
import { openAccount } from './desk.fixture.ts'
import { receiveReport } from './receiving.ts'

const timeout = 20_000

const tokenOf = async (tx: Tx, { device }: { device: number }) =>
  tx.get<{ token: string; usable: number; user_id: number }>(
    `SELECT v.token AS token, v.quarantined_at IS NULL AS usable, d.user_id AS user_id
     FROM vendor_tokens v JOIN devices d ON d.id = v.device_id WHERE v.device_id = ?`, device,
  )

/** An app with two devices at one vendor, the first of which was sent a push. */
const startReceiving = async (t: TestContext, vendor: VendorName) => {
  const trial = await startTrial(t)
  const { store, clock, receipts } = trial
  trial.addVendor(vendor)
  const device = await trial.addDevice({ tokens: [vendor] })
  const task = await trial.notify({ setting: { distribution_strategy: 'ospush_only' } })
  const neighbour = await trial.addDevice({ tokens: [vendor] })
  const other = ((await store.write(createApp, { appId: 'other', name: 'Other', actor: 'test', now: clock.now() })) as { id: number }).id
  const accounts = { of: async () => ({ name: '', accounts: [openAccount({ vendor, app_id: 'ours' })] }) } as unknown as Accounts
  const parts = { store, clock, log: pino({ level: 'silent' }), accounts, receipts }
  const report = (body: string, { app = trial.app, by = vendor }: { app?: number; by?: VendorName } = {}) =>
    receiveReport(parts, { app, vendor: by, headers: {}, body })
  const token = async (id = device) => {
    const { token: text, usable } = (await store.read(tokenOf, { device: id }))!
    return usable ? text : `${text}, quarantined`
  }
  const bind = async (id: number, text: string): Promise<void> => {
    const { user_id: userId } = (await store.read(tokenOf, { device: id }))!
    await store.write(bindVendorToken, { device: { app: trial.app, userId, deviceId: id, pushTokenHash: null }, by: { vendor, environment: 1 }, token: text, platform: null, now: clock.now() })
  }
  return { trial, device, neighbour, task, other, report, token, bind, tally: () => trial.tally(task) }
}

const RECEIVED = 1
const DEAD = 16
const fromXiaomi = (param: number | string, type: number, targets: string, replaceTarget?: Record<string, string>): string =>
  new URLSearchParams({ data: JSON.stringify({ m1: { param: String(param), type, targets, ...(replaceTarget && { replaceTarget }) } }) }).toString()

test('what a vendor reports counts once, however often it is repeated', { timeout }, async (t: TestContext) => {
  const { device, task, report, tally } = await startReceiving(t, 'xiaomi')
  const body = fromXiaomi(task, RECEIVED, `xiaomi ${device}`)
  t.assert.deepEqual(await report(body), { outcome: 'taken', answer: '' })
  await Promise.all([report(body), report(body)])
  t.assert.deepEqual(await tally(), { xiaomi_target: 1, xiaomi_sent: 1, xiaomi_received: 1 })
})

test('a token, task or app that does not belong together changes nothing', { timeout }, async (t: TestContext) => {
  const { device, neighbour, task, other, report, tally, token } = await startReceiving(t, 'xiaomi')
  const before = await tally()
  for (const type of [RECEIVED, DEAD]) {
    await report(fromXiaomi(task, type, `xiaomi ${neighbour}`))
    await report(fromXiaomi(task + 1, type, `xiaomi ${device}`))
    await report(fromXiaomi(task, type, 'xiaomi of nobody'))
    await report(fromXiaomi(task, type, `xiaomi ${device}`), { app: other })
    await report(fromXiaomi('no task', type, `xiaomi ${device}`))
    await report(fromXiaomi(task + 1, type, `xiaomi ${device}`, { [`xiaomi ${device}`]: 'stolen' }))
    await report(fromXiaomi(task, type, `xiaomi ${neighbour}`, { [`xiaomi ${neighbour}`]: 'stolen' }))
  }
  t.assert.deepEqual(await tally(), before)
  t.assert.equal(await token(device), `xiaomi ${device}`)
  t.assert.equal(await token(neighbour), `xiaomi ${neighbour}`)
})

test('a report that is malformed, forged or of a vendor the app does not use is not taken', { timeout }, async (t: TestContext) => {
  const { device, task, report, tally, token } = await startReceiving(t, 'oppo')
  const before = await tally()
  const row = { appId: 'theirs', param: String(task), eventType: 'regid_invalid', registrationIds: `oppo ${device}` }
  t.assert.deepEqual(await report(JSON.stringify([row])), { outcome: 'forged' })
  t.assert.deepEqual(await report(JSON.stringify([{ ...row, appId: 'ours', eventType: 'push_arrive' }, { ...row, eventType: 'push_arrive' }])), { outcome: 'forged' })
  for (const body of ['', 'not JSON', '{}', 'null']) t.assert.deepEqual(await report(body), { outcome: 'malformed' })
  t.assert.deepEqual(await report('[]', { by: 'xiaomi' }), { outcome: 'unknown' })
  t.assert.deepEqual(await report('[]', { by: 'apns' }), { outcome: 'unknown' })
  t.assert.deepEqual(await tally(), before)
  t.assert.equal(await token(), `oppo ${device}`)
})

test('a token a vendor calls gone is quarantined for a push of ours, and a repeated report spares it once it is bound anew', { timeout }, async (t: TestContext) => {
  const { trial, device, task, report, token, bind } = await startReceiving(t, 'xiaomi')
  const body = fromXiaomi(task, DEAD, `xiaomi ${device}`)
  await report(body)
  t.assert.equal(await token(), `xiaomi ${device}, quarantined`)
  trial.clock.at += 1_000
  await bind(device, `xiaomi ${device}`)
  await report(body)
  t.assert.equal(await token(), `xiaomi ${device}`)
})

test('the token that takes the place of another is used from then on, and one that another device holds stays there', { timeout }, async (t: TestContext) => {
  const { trial, device, neighbour, task, report, token } = await startReceiving(t, 'xiaomi')
  const old = `xiaomi ${device}`
  await report(fromXiaomi(task, DEAD, old, { [old]: `xiaomi ${neighbour}` }))
  t.assert.equal(await token(), old)
  t.assert.equal(await token(neighbour), `xiaomi ${neighbour}`)
  await report(fromXiaomi(task, DEAD, old, { [old]: 'new one' }))
  await report(fromXiaomi(task, DEAD, old, { [old]: 'yet another' }))
  t.assert.equal(await token(), 'new one')
  await trial.notify({ setting: { distribution_strategy: 'ospush_only' } })
  const handed = trial.vendors.get('xiaomi')!.handed.filter(({ target }) => target.deviceId === device)
  t.assert.deepEqual(handed.map(({ target }) => target.address), [old, 'new one'])
})

test('a delivery that is reported together with a new token counts, too', { timeout }, async (t: TestContext) => {
  const { device, task, report, token, tally } = await startReceiving(t, 'xiaomi')
  await report(fromXiaomi(task, RECEIVED, `xiaomi ${device}`, { [`xiaomi ${device}`]: 'new one' }))
  t.assert.equal(await token(), 'new one')
  t.assert.deepEqual(await tally(), { xiaomi_target: 1, xiaomi_sent: 1, xiaomi_received: 1 })
})
