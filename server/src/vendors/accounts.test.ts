import { randomBytes } from 'node:crypto'
import test, { type TestContext } from 'node:test'
import type { VendorName } from '@carillon/protocol/names.ts'
import { pino } from 'pino'
import { storeCertificate } from '../access/certificates.ts'
import { Seal } from '../access/seal.ts'
import { startTrial } from '../push/path.fixture.ts'
import { deleteCertificate } from '../store/certificates.ts'
import type { Store } from '../store/store.ts'
import { Accounts, type OpenAccount } from './accounts.ts'
import { ToldSender, plainAccess, plainVendor, reply } from './desk.fixture.ts'
import { Desk } from './desk.ts'

const timeout = 20_000

/** An app whose certificates are set as an operator sets them. */
const startAccounts = async (t: TestContext) => {
  const trial = await startTrial(t)
  const { store, clock } = trial
  const seal = new Seal(randomBytes(32))
  const logged: string[] = []
  const log = pino({ base: undefined }, { write: (line: string) => void logged.push(JSON.parse(line).msg) })
  let isBroken = false
  const reading: Store = {
    backlog: 0, onForeignWrite: () => {}, close: async () => {},
    write: (op, args) => store.write(op, args),
    read: async (op, args) => {
      if (isBroken) throw new Error('the disk is gone')
      return store.read(op, args)
    },
  }
  const accounts = new Accounts({ store: reading, seal, log })
  const set = async (vendor: VendorName, app_secret: string, sealedBy = seal): Promise<void> => {
    const fields = { app_id: '', app_key: '', app_secret, certificate: '', name: vendor, options: {} }
    const check = () => ({ problems: [], warnings: [], expiresAt: null })
    await storeCertificate({ store, seal: sealedBy, check }, { place: { app: trial.app, vendor, environment: 1 }, fields, actor: 'test', now: clock.now() })
  }
  const remove = (vendor: VendorName) => store.write(deleteCertificate, { place: { app: trial.app, vendor, environment: 1 }, actor: 'test', now: clock.now() })
  const find = async (vendor: VendorName): Promise<OpenAccount | undefined> => accounts.find(trial.app, vendor, 1)
  return { trial, store, clock, log, accounts, set, remove, find, logged, breakStore: (broken: boolean) => (isBroken = broken) }
}

test('a changed certificate is another account, also within one millisecond; an unchanged one stays the same', { timeout }, async (t: TestContext) => {
  const { accounts, set, find, remove } = await startAccounts(t)
  const replaced: string[] = []
  accounts.onReplaced(({ vendor, app_secret }) => replaced.push(`${vendor} ${app_secret}`))
  await set('xiaomi', 'first')
  await set('oppo', 'steady')
  const [xiaomi, oppo] = [await find('xiaomi'), await find('oppo')]
  t.assert.equal(xiaomi?.app_secret, 'first')
  await set('xiaomi', 'second')
  t.assert.equal(await find('xiaomi'), xiaomi, 'kept until it is told')
  accounts.refresh()
  const second = await find('xiaomi')
  t.assert.equal(second?.app_secret, 'second')
  t.assert.notEqual(second?.key, xiaomi?.key)
  t.assert.equal(await find('oppo'), oppo)
  t.assert.deepEqual(replaced, ['xiaomi first'])
  await remove('xiaomi')
  accounts.refresh()
  t.assert.equal(await find('xiaomi'), undefined)
  t.assert.deepEqual(replaced, ['xiaomi first', 'xiaomi second'])
})

test('changes that follow one another closely are all seen, and each account is replaced once', { timeout }, async (t: TestContext) => {
  const { accounts, set, find } = await startAccounts(t)
  const replaced: string[] = []
  accounts.onReplaced(({ app_secret }) => replaced.push(app_secret))
  await set('xiaomi', 'first')
  await find('xiaomi')
  await set('xiaomi', 'second')
  accounts.refresh()
  accounts.refresh()
  await set('xiaomi', 'third')
  accounts.refresh()
  t.assert.equal((await find('xiaomi'))?.app_secret, 'third')
  t.assert.equal(replaced.filter((secret) => secret === 'first').length, 1)
  t.assert.ok(!replaced.includes('third'))
})

test('a certificate that cannot be opened is told, and the others work', { timeout }, async (t: TestContext) => {
  const { set, find, logged } = await startAccounts(t)
  await set('xiaomi', 'lost', new Seal(randomBytes(32)))
  await set('oppo', 'steady')
  t.assert.equal(await find('xiaomi'), undefined)
  t.assert.equal((await find('oppo'))?.app_secret, 'steady')
  t.assert.deepEqual(logged, ['a certificate cannot be opened; set it anew'])
})

test('a store that could not be read is asked again by the next', { timeout }, async (t: TestContext) => {
  const { accounts, set, find, breakStore } = await startAccounts(t)
  await set('xiaomi', 'first')
  breakStore(true)
  await t.assert.rejects(find('xiaomi'), /the disk is gone/)
  breakStore(false)
  const first = await find('xiaomi')
  t.assert.equal(first?.app_secret, 'first')
  breakStore(true)
  accounts.refresh()
  await t.assert.rejects(find('xiaomi'), /the disk is gone/)
  breakStore(false)
  t.assert.equal((await find('xiaomi'))?.key, first?.key)
})

test('a changed certificate has an open lane, new access tokens and new connections; the others keep their own', { timeout }, async (t: TestContext) => {
  const { store, clock, log, accounts, set, find, trial } = await startAccounts(t)
  const sender = new ToldSender()
  const desk = new Desk({ store, clock, log, sender, accounts, origins: {}, rates: {}, receiptUrl: () => undefined })
  const vendors = { xiaomi: plainVendor({ access: plainAccess }), oppo: plainVendor({ name: 'oppo', access: plainAccess }) }
  sender.answer = ({ body }) => reply({ value: `token for ${body}`, renewMs: 1e6, endsMs: 1e6 })
  const until = clock.now() + 60_000
  const lanes = []
  await set('xiaomi', 'first')
  await set('oppo', 'first')
  for (const vendor of ['xiaomi', 'oppo'] as const) {
    const account = (await find(vendor))!
    for (const region of ['', 'eu']) await desk.tokens.get(vendors[vendor], account, region)
    const lane = desk.lane(vendors[vendor], account)
    await desk.pause(lane, account, until, { why: 'denied' }, true)
    lanes.push(lane)
  }
  const [before, old] = [sender.asked.length, (await find('xiaomi'))!]
  await set('xiaomi', 'second')
  accounts.refresh()
  const [xiaomi, oppo] = [(await find('xiaomi'))!, (await find('oppo'))!]
  t.assert.equal(desk.isOpen('xiaomi', trial.app, 1), true)
  t.assert.equal(desk.isOpen('oppo', trial.app, 1), false)
  t.assert.notEqual(desk.lane(vendors.xiaomi, xiaomi), lanes[0])
  t.assert.equal(desk.lane(vendors.oppo, oppo), lanes[1])
  t.assert.equal(desk.tokens.current(vendors.xiaomi, old, ''), undefined, 'the old one is forgotten')
  t.assert.equal(await desk.tokens.get(vendors.xiaomi, xiaomi, ''), 'token for second ')
  t.assert.equal(await desk.tokens.get(vendors.oppo, oppo, ''), 'token for first ')
  t.assert.equal(sender.asked.length, before + 1)
  t.assert.deepEqual(sender.retired, [`${old.key} `, `${old.key} eu`])
  t.assert.deepEqual([sender.asked.at(-1)!.key, xiaomi.key === old.key], [`${xiaomi.key} `, false], 'no connection of the old one is used for it')
  t.assert.deepEqual(new Map((await desk.reports(trial.app)).map(({ vendor, state }) => [vendor, state])), new Map([['oppo', 'paused'], ['xiaomi', 'open']]))
})
