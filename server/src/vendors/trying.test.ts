import test, { type TestContext } from 'node:test'
import type { VendorName } from '@carillon/protocol/names.ts'
import type { Accounts } from './accounts.ts'
import { openAccount, plainVendor, reply, startDesk } from './desk.fixture.ts'
import type { Exchanged } from './exchange.ts'
import { tryAccount } from './trying.ts'

const timeout = 10_000

/** An app with certificates of these vendors. */
const startTrying = (t: TestContext, ...vendors: VendorName[]) => {
  const find = async (_app: number, vendor: VendorName) => (vendors.includes(vendor) ? openAccount({ vendor, key: `${vendor} 1` }) : undefined)
  const accounts = { onReplaced: () => {}, find } as unknown as Accounts
  return startDesk(t, plainVendor(), { accounts })
}

const rows: [says: string, answer: Exchanged, ok: boolean, words: RegExp][] = [
  ['it finds fault with the made-up address alone', reply({ code: 20301, reason: 'No valid targets!' }), true, /^Xiaomi Mi Push accepts these credentials$/],
  ['it takes the push', reply({ code: 0 }), true, /accepts/],
  ['it refuses the message', reply({ code: 10016 }), true, /accepts/],
  ['it does not know the secret', reply({ code: 21301 }), false, /does not accept these credentials: the AppSecret is not right/],
  ['it has enough for now', reply({ code: 10022 }), true, /takes no more at the moment/],
  ['its allowance of the day is used up', reply({ code: 200001 }), true, /takes no more at the moment/],
  ['it has trouble', reply('', { status: 503 }), false, /could not be asked/],
  ['it answers in riddles', reply({ code: 987_654 }), false, /answered what nobody knows/],
  ['it does not answer', { kind: 'lost', why: 'no answer within 10 s' }, false, /could not be reached: no answer within 10 s/],
  ['it cannot be found', { kind: 'unsent', why: 'no such host' }, false, /could not be reached: no such host/],
]

for (const [says, answer, ok, words] of rows) {
  test(`credentials are ${ok ? 'good' : 'in doubt'} when the vendor is asked and ${says}`, { timeout }, async (t: TestContext) => {
    const { desk, sender } = startTrying(t, 'xiaomi')
    sender.answer = () => answer
    const tried = await tryAccount(desk, 1, 'xiaomi', 1)
    t.assert.equal(tried?.ok, ok)
    t.assert.match(tried!.words, words)
    t.assert.doesNotMatch(tried!.words, /secret"|key=/)
    t.assert.equal(sender.asked.length, 1)
  })
}

test('where the access token alone shows it, a new one is asked for each time: credentials may be revoked while the old one works', { timeout }, async (t: TestContext) => {
  const { desk, sender } = startTrying(t, 'oppo')
  sender.answer = () => reply({ code: 0, data: { auth_token: 'token', create_time: desk.clock.now() } })
  t.assert.deepEqual(await tryAccount(desk, 1, 'oppo', 1), {
    ok: true,
    words: 'OPPO Push gave an access token for these credentials',
    told: { name: 'token_given', values: { title: 'OPPO Push' } },
  })
  sender.answer = () => reply({ code: 14, message: 'Invalid App Key' })
  const tried = await tryAccount(desk, 1, 'oppo', 1)
  t.assert.equal(tried?.ok, false)
  t.assert.match(tried!.words, /app_key is not valid/)
  t.assert.equal(sender.asked.length, 2)
})

test('without a certificate there is nothing to try, and nobody is asked', { timeout }, async (t: TestContext) => {
  const { desk, sender } = startTrying(t, 'oppo')
  t.assert.equal(await tryAccount(desk, 1, 'xiaomi', 1), undefined)
  t.assert.equal(sender.asked.length, 0)
})
