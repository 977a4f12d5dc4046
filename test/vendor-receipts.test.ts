import { createHmac, randomBytes } from 'node:crypto'
import test, { type TestContext } from 'node:test'
import type { VendorName } from '@carillon/protocol/names.ts'
import { receiptUrls, report, startRelayedWorld, type Report } from './harness/receipt-relay.ts'
import { startVendorWorld, vendorNames, vendorToken, type VendorWorld } from './harness/vendor-world.ts'

const timeout = 60_000
const hello = { title: 'Hello', body: 'World' }

const reporters = ['huawei', 'honor', 'xiaomi', 'oppo', 'vivo', 'flyme'] as const
const silent: readonly VendorName[] = ['apns', 'fcm']
type Reporter = (typeof reporters)[number]

/** Tokens of devices that are switched off: the simulators take pushes for them and never report. */
const OFFLINE: Record<Reporter, string> = { huawei: 'offline-', honor: 'offline-', xiaomi: 'offline-', oppo: 'offline_CN_', vivo: 'offline-', flyme: 'OFFLINE' }

const proof = { user: 'carillon', key: randomBytes(32).toString('base64'), accessToken: 'shown-with-every-receipt' }

const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }

const huaweiHeader = (user = proof.user, key = proof.key): Record<string, string> => {
  const [timestamp, nonce] = [Date.now(), randomBytes(8).toString('hex')]
  const value = createHmac('sha256', Buffer.from(key, 'base64')).update(`${timestamp}${nonce}${user}`).digest('base64')
  return { 'x-huawei-callback-id': `timestamp=${timestamp}; nonce=${nonce}; value=${value}` }
}

type Written = Omit<Report, 'path'>

/** That a push was delivered, in each vendor's own form. */
const delivered: Record<Reporter, (task: number, token: string) => Written> = {
  huawei: (task, token) => ({ headers: { ...json, ...huaweiHeader() }, body: JSON.stringify({ statuses: [{ token, biTag: `${task}`, status: 0 }] }) }),
  honor: (task, token) => ({ headers: json, body: JSON.stringify({ statuses: [{ token, biTag: `${task}`, status: 40000002 }] }) }),
  xiaomi: (task, token) => ({ headers: form, body: xiaomiForm({ type: 1, param: `${task}`, targets: token }) }),
  oppo: (task, token) => ({ headers: json, body: oppoRow({ param: `${task}`, registrationIds: token, eventType: 'push_arrive' }) }),
  vivo: (task, token) => ({ headers: json, body: JSON.stringify({ 9001: { param: `${task}`, targets: token } }) }),
  flyme: (task, token) => ({ headers: form, body: flymeForm({ type: 1, param: `${task}`, targets: [token] }) }),
}

/** That a token is gone for good, where a vendor has a way to say so. */
const gone: Partial<Record<Reporter, (task: number, token: string) => Written>> = {
  huawei: (task, token) => ({ headers: { ...json, ...huaweiHeader() }, body: JSON.stringify({ statuses: [{ token, biTag: `${task}`, status: 2 }] }) }),
  xiaomi: (task, token) => ({ headers: form, body: xiaomiForm({ type: 16, param: `${task}`, targets: token }) }),
  oppo: (task, token) => ({ headers: json, body: oppoRow({ param: `${task}`, registrationIds: token, eventType: 'regid_invalid' }) }),
  vivo: (task, token) => ({ headers: json, body: JSON.stringify({ 9001: { param: `${task}`, targets: token, ackType: '200', subAckType: '2183' } }) }),
}

const xiaomiForm = (entry: object): string => new URLSearchParams({ data: JSON.stringify({ sdm1: entry }) }).toString()
const oppoRow = (row: object): string => JSON.stringify([{ appId: 'ZngA', messageId: 'm', taskId: 't', ...row }])
const flymeForm = (entry: object, access_token = proof.accessToken): string =>
  new URLSearchParams({ access_token, cb: JSON.stringify({ 'NS1-1': entry }) }).toString()

/** What only Huawei and Meizu can show is agreed with them, as an operator does in two consoles. */
const agreeOnProofs = async (world: VendorWorld): Promise<void> => {
  await world.setCertificate('huawei', { options: { receipt_user: proof.user, receipt_key: proof.key } })
  await world.setCertificate('flyme', { options: { receipt_access_token: proof.accessToken } })
  world.simulators.order({ vendor: 'huawei', options: { receiptUser: proof.user, receiptKey: proof.key } })
  world.simulators.order({ vendor: 'flyme', options: { receiptAccessToken: proof.accessToken } })
}

const received = (counters: Record<string, number>): Record<string, number> =>
  Object.fromEntries(vendorNames.flatMap((vendor) => (counters[`${vendor}_target`]! > 0 ? [[vendor, counters[`${vendor}_received`]!]] : [])))

test('what six vendors report counts once, however often they report it', { timeout }, async (t: TestContext) => {
  const { world, relay } = await startRelayedWorld(t)
  const { carillon } = world
  await agreeOnProofs(world)
  for (const vendor of reporters) await world.addDevice({ [vendor]: vendorToken(vendor) })
  const task = await world.send(hello)
  const once = Object.fromEntries(reporters.map((vendor) => [vendor, 1]))
  await carillon.until(async () => received(await carillon.counters(task)), (counted) => Object.values(counted).every((count) => count === 1))
  t.assert.deepEqual(relay.reports.map(({ vendor }) => vendor).sort(), [...reporters].sort())

  const wanted: Record<string, string> = {
    huawei: '{"code":"0","message":"success"}', vivo: '{"errno":0,"errmsg":"success"}', oppo: '{}', xiaomi: '', flyme: '',
  }
  for (const call of relay.reports) {
    const answers = await Promise.all(Array.from({ length: 4 }, () => relay.repeat(call)))
    for (const { status, body } of answers) {
      t.assert.equal(status, 200, call.vendor)
      if (call.vendor in wanted) t.assert.equal(body, wanted[call.vendor])
    }
  }
  const counters = await carillon.counters(task)
  t.assert.deepEqual(received(counters), once)
  for (const vendor of reporters) t.assert.deepEqual([counters[`${vendor}_target`], counters[`${vendor}_sent`]], [1, 1], vendor)

  const meizu = relay.reports.find(({ vendor }) => vendor === 'flyme')!
  t.assert.equal((await relay.repeat({ ...meizu, path: meizu.path.replace('/flyme/', '/meizu/') })).status, 200, 'Meizu by its other name')
  t.assert.deepEqual(received(await carillon.counters(task)), once)
})

test('a forged, foreign or malformed report changes nothing and is told so in an envelope', { timeout }, async (t: TestContext) => {
  const world = await startVendorWorld(t, { vendors: reporters })
  const { carillon } = world
  await agreeOnProofs(world)
  const urls = await receiptUrls(world)
  const admin = await carillon.addApp('other')
  const other = { app: 'other', token: admin }
  for (const vendor of ['xiaomi', 'honor'] as const) {
    const provider = { xiaomi: 3, honor: 8 }[vendor]
    await carillon.ok('/push/certificate', { method: 'PUT', ...other, body: { provider, environment: 1, ...world.certificates[vendor] } })
  }
  await carillon.heard()
  const foreignUrls = await receiptUrls(world, other)
  const stranger = await carillon.tokenFor(await carillon.addUser('stranger', { app: 'other', admin }), 'phone', { app: 'other', admin })
  const foreignToken = vendorToken('xiaomi', OFFLINE.xiaomi)
  await carillon.ok('/user/token/bind', { app: 'other', token: stranger.token, body: { device_token: foreignToken, provider: 3, platform: 'android' } })
  const foreignTask = await carillon.notify({ audience: 'all', message: hello, setting: { distribution_strategy: 'ospush_only' } }, other)
  await carillon.until(() => carillon.task(foreignTask, other), ({ state }) => state === 'done')

  for (const vendor of reporters) {
    const [token, neighbour] = [vendorToken(vendor, OFFLINE[vendor]), vendorToken(vendor, OFFLINE[vendor])]
    const device = await world.addDevice({ [vendor]: token })
    await world.addDevice({ [vendor]: neighbour })
    const meant = { push_token: [device.push_token] }
    const task = await world.send(hello, meant)
    const url = urls.get(vendor)!
    const foreignUrl = foreignUrls.get(vendor) ?? url.replace(/[^/]+$/, new URL(foreignUrls.get('xiaomi')!).pathname.split('/').at(-1)!)
    const right = delivered[vendor](task, token)
    const untouched = async (what: string): Promise<void> => {
      t.assert.equal((await carillon.counters(task))[`${vendor}_received`], 0, `${vendor}: ${what}`)
      t.assert.equal((await carillon.counters(foreignTask, other)).xiaomi_received, 0, `${vendor}: ${what}`)
    }
    const refusedWith = async (code: number, status: number, to: string, written: Written, what: string): Promise<void> => {
      const answer = await report(to, written)
      t.assert.deepEqual([answer.status, answer.code], [status, code], `${vendor}: ${what}: ${answer.body}`)
      const envelope = JSON.parse(answer.body)
      t.assert.deepEqual([Object.keys(envelope).sort(), envelope.data], [['code', 'data', 'message'], null])
      await untouched(what)
    }

    // Forged: whoever sent it does not know what the vendor knows.
    const changed = url.slice(0, -1) + (url.endsWith('A') ? 'Q' : 'A')
    for (const wrong of [changed, `${url}x`, url.slice(0, -4), url.replace(/[^/]+$/, '1-'), url.replace(/[^/]+$/, 'secret')]) {
      await refusedWith(40400, 404, wrong, right, 'a wrong secret')
    }
    if (vendor === 'huawei') {
      const { 'x-huawei-callback-id': header } = huaweiHeader()
      const forgeries = [{}, huaweiHeader('somebody'), huaweiHeader(proof.user, randomBytes(32).toString('base64')), { 'x-huawei-callback-id': '' }]
      for (const headers of [...forgeries, { 'x-huawei-callback-id': header!.replace('nonce=', 'nonce=0') }]) {
        await refusedWith(10010, 403, url, { body: right.body, headers: { ...json, ...headers } as Record<string, string> }, 'a wrong signature')
      }
    }
    if (vendor === 'flyme') {
      for (const shown of ['', 'wrong', `${proof.accessToken} `]) {
        await refusedWith(10010, 403, url, { headers: form, body: flymeForm({ type: 1, param: `${task}`, targets: [token] }, shown) }, 'a wrong access token')
      }
    }
    if (vendor === 'oppo') await refusedWith(10010, 403, url, { ...right, body: right.body.replace('ZngA', 'other') }, "another app's id")

    // Foreign: everything is real, and does not belong together.
    const toOther = await report(foreignUrl, right)
    t.assert.equal(toOther.status, foreignUrls.has(vendor) ? 200 : 404, `${vendor}: at another app's address`)
    await untouched("at another app's address")
    for (const [what, written] of [
      ['a task of another app', delivered[vendor](foreignTask, token)],
      ['a token of another app', delivered[vendor](task, foreignToken)],
      ['task and token of another app', delivered[vendor](foreignTask, foreignToken)],
      ['a token of a device that was not meant', delivered[vendor](task, neighbour)],
      ['a task that is none', delivered[vendor](task + 1_000, token)],
    ] as const) {
      t.assert.equal((await report(url, written)).status, 200, `${vendor}: ${what}`)
      await untouched(what)
    }
    const wrongVendor = url.replace(`/${vendor}/`, vendor === 'honor' ? '/vivo/' : '/honor/')
    await report(wrongVendor, right)
    await untouched("at another vendor's address")

    // Malformed.
    const signed = vendor === 'huawei' ? huaweiHeader() : {}
    const field = vendor === 'xiaomi' ? 'data' : `access_token=${proof.accessToken}&cb`
    const ofForm = [`${field}=`, `${field}=[]`, `${field}=%7B`, `${field}s=1`]
    const ofJson = ['nonsense', 'null', '5', '"text"', '{"statuses"', vendor === 'oppo' ? '{}' : '[]']
    for (const body of vendor === 'xiaomi' || vendor === 'flyme' ? ofForm : ofJson) {
      await refusedWith(10002, 400, url, { headers: { ...json, ...signed }, body }, `malformed as ${body}`)
    }
    const statuses = `null,5,{"token":${task},"biTag":"${task}","status":0},{"token":"${token}","biTag":${'9'.repeat(30)},"status":0}`
    const odd = [`{"statuses":[${statuses}]}`, '\u0000', '[[[[]]]]', '{"a":[[{}]],"b":null}', '']
    for (const body of odd) {
      const answer = await report(url, { headers: { 'content-type': 'text/plain', ...signed }, body })
      t.assert.ok(answer.status < 500, `${vendor}: ${body}: ${answer.body}`)
      await untouched(body)
    }
    const large = await report(url, { headers: json, body: 'x'.repeat(1_100_000) })
    t.assert.deepEqual([large.status, large.code], [413, 41300])

    // A token is not taken away by what does not belong together either.
    if (gone[vendor]) {
      t.assert.equal((await report(url, gone[vendor](foreignTask, token))).status, 200)
      t.assert.equal((await report(url, gone[vendor](task, neighbour))).status, 200)
      t.assert.equal((await carillon.counters(await world.send(hello)))[`${vendor}_sent`], 2, `${vendor}: both tokens are still used`)
      await untouched('gone, said of a foreign task')
    }
    await report(url, right)
    t.assert.equal((await carillon.counters(task))[`${vendor}_received`], 1, `${vendor}: the right one counts`)
    await carillon.ok('/user/token/unbind', { token: device.token, body: {} })
  }
})

test('a token that a receipt calls gone is not used again, and one it replaces gives way to the new one', { timeout }, async (t: TestContext) => {
  const world = await startVendorWorld(t, { vendors: ['xiaomi', 'huawei', 'oppo', 'vivo'] })
  const { carillon, simulators } = world
  await world.setCertificate('huawei', { options: { receipt_user: proof.user, receipt_key: proof.key } })
  const urls = await receiptUrls(world)
  for (const vendor of ['xiaomi', 'huawei', 'oppo', 'vivo'] as const) {
    const token = vendorToken(vendor, OFFLINE[vendor])
    const device = await world.addDevice({ [vendor]: token })
    const meant = { push_token: [device.push_token] }
    const task = await world.send(hello, meant)
    await report(urls.get(vendor)!, gone[vendor]!(task, token))
    const after = await world.send(hello, meant)
    t.assert.equal((await carillon.counters(after))[`${vendor}_target`], 0, vendor)
    t.assert.equal(simulators.fates(vendor).get(token)!.taken, 1)
  }

  const [old, next, mine] = ['offline-old', 'offline-new', 'offline-mine']
  const phone = await world.addDevice({ xiaomi: old })
  const neighbour = await world.addDevice({ xiaomi: mine })
  const meant = { push_token: [phone.push_token] }
  const task = await world.send(hello, meant)
  const foreign = await world.send(hello, { push_token: [neighbour.push_token] })
  const replaced = (about: number, by: string): Promise<unknown> =>
    report(urls.get('xiaomi')!, { headers: form, body: xiaomiForm({ type: 16, param: `${about}`, targets: old, replaceTarget: { [old]: by } }) })
  await replaced(foreign, next)
  await world.send(hello, meant)
  t.assert.equal(simulators.fates('xiaomi').get(old)!.taken, 2, 'what is said of a foreign task replaces nothing')
  await replaced(task, mine)
  await world.send(hello, { push_token: [neighbour.push_token] })
  t.assert.equal(simulators.fates('xiaomi').get(mine)!.taken, 2, 'nobody gets the token of another device')
  await replaced(task, next)
  await world.send(hello, meant)
  t.assert.deepEqual([simulators.fates('xiaomi').get(old)!.taken, simulators.fates('xiaomi').get(next)!.taken], [2, 1])
})

test('a device reports for APNs and FCM itself, and clicks for every vendor', { timeout }, async (t: TestContext) => {
  const world = await startVendorWorld(t, { env: { CARILLON_PUBLIC_URL: '' } })
  const { carillon } = world
  for (const vendor of vendorNames) {
    const device = await world.addDevice({ [vendor]: vendorToken(vendor) })
    const neighbour = await world.addDevice({ [vendor]: vendorToken(vendor) })
    const task = await world.send(hello, { push_token: [device.push_token] })
    const tell = (token: string, item: Record<string, unknown>): Promise<{ accepted: number }> =>
      carillon.ok('/push/receipt', { token, body: { list: [{ task_id: task, event: 'received', ...item }] } })
    const counted = async (): Promise<number | undefined> => (await carillon.counters(task))[`${vendor}_received`]

    t.assert.deepEqual(await tell(neighbour.token, {}), { accepted: 0 }, `${vendor}: a device that was not meant`)
    t.assert.deepEqual(await tell(device.token, { channel: 'nativepush' }), { accepted: 0 }, `${vendor}: a channel that was not used`)
    t.assert.deepEqual(await tell(device.token, { task_id: task + 1_000 }), { accepted: 0 })
    t.assert.equal(await counted(), 0)
    t.assert.deepEqual(await tell(device.token, vendor === 'apns' ? {} : { channel: vendor }), { accepted: 1 })
    t.assert.equal(await counted(), 1)
    await tell(device.token, { event: 'shown' })
    t.assert.match(await carillon.trace(task, device.push_token), new RegExp(`${vendor}: the device has shown it`))
    await tell(device.token, { event: 'clicked' })
    await tell(device.token, { event: 'shown' })
    t.assert.match(await carillon.trace(task, device.push_token), new RegExp(`${vendor}: the person has clicked it`))
    t.assert.equal(await counted(), 1, vendor)
  }
})

test('a click that Xiaomi or Meizu reports is known, and counts the push as received once', { timeout }, async (t: TestContext) => {
  const world = await startVendorWorld(t, { vendors: ['xiaomi', 'flyme'] })
  const { carillon } = world
  for (const [vendor, fate] of [['xiaomi', 'click-'], ['flyme', 'CLICK']] as const) {
    const device = await world.addDevice({ [vendor]: vendorToken(vendor, fate) })
    const task = await world.send(hello, { push_token: [device.push_token] })
    await carillon.until(() => carillon.trace(task, device.push_token), (trace) => trace.includes('the person has clicked it'))
    t.assert.equal((await carillon.counters(task))[`${vendor}_received`], 1)
  }
})

test('receipt addresses fit into 128 bytes and are not given where the public address is not known', { timeout }, async (t: TestContext) => {
  const longest = `https://${'push.example.com'.padStart(40, 'x')}:65535`
  for (const CARILLON_PUBLIC_URL of [longest, '']) {
    const world = await startVendorWorld(t, { env: { CARILLON_PUBLIC_URL } })
    const urls = await receiptUrls(world)
    t.assert.equal(urls.size, vendorNames.length)
    for (const vendor of [...reporters, ...silent]) {
      const url = urls.get(vendor)
      const reports = CARILLON_PUBLIC_URL !== '' && (reporters as readonly VendorName[]).includes(vendor)
      t.assert.equal(typeof url, reports ? 'string' : 'object', vendor)
      if (reports) {
        t.assert.ok(url!.startsWith(`${CARILLON_PUBLIC_URL}/push/receipt/`), url!)
        t.assert.ok(Buffer.byteLength(url!) <= 128, `${url!.length} bytes`)
      }
    }
    for (const vendor of vendorNames) await world.addDevice({ [vendor]: vendorToken(vendor) })
    await world.send(hello)
    const judged = world.simulators.received().filter(({ vendor }) => [...reporters, ...silent].includes(vendor))
    const told = new Set(judged.filter(({ fields }) => /call_?back/i.test(JSON.stringify(fields))).map(({ vendor }) => vendor))
    t.assert.equal(world.simulators.received().length, vendorNames.length)
    t.assert.deepEqual([...told].sort(), CARILLON_PUBLIC_URL === '' ? [] : ['flyme', 'oppo', 'vivo', 'xiaomi'])
    await world.carillon.stop('SIGKILL')
  }
})
