import test, { type TestContext } from 'node:test'
import { ACK_MS, startTrial } from './path.fixture.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

test('a push to an online device is written at once, and counted when it is acknowledged', async (t: TestContext) => {
  const trial = await startTrial(t)
  const device = await trial.addDevice({ online: true })
  const task = await trial.notify()
  t.assert.deepEqual(trial.own.devices, [device])
  t.assert.deepEqual(await trial.tally(task), { nativepush_target: 1, nativepush_sent: 1 })
  t.assert.equal(await trial.state(task), 'sending')
  await trial.acknowledge()
  t.assert.deepEqual(await trial.tally(task), { nativepush_target: 1, nativepush_sent: 1, nativepush_received: 1 })
  t.assert.equal(await trial.state(task), 'done')
})

test('a device that is away and has no vendor keeps the push in its inbox, and the task is done', async (t: TestContext) => {
  const trial = await startTrial(t)
  const device = await trial.addDevice()
  const task = await trial.notify()
  t.assert.deepEqual(trial.own.handed, [])
  t.assert.deepEqual(trial.own.woken, [device])
  t.assert.deepEqual(await trial.waiting(device), [task])
  t.assert.deepEqual(await trial.tally(task), { nativepush_target: 1 })
  t.assert.equal(await trial.state(task), 'done')
})

test('a push that is not acknowledged in time goes to the next vendor, and its late acknowledgement still counts', async (t: TestContext) => {
  const trial = await startTrial(t)
  const xiaomi = trial.addVendor('xiaomi')
  const device = await trial.addDevice({ online: true, tokens: ['xiaomi'] })
  const task = await trial.notify()
  await trial.advance(ACK_MS)
  t.assert.deepEqual(trial.own.silent, [device])
  t.assert.deepEqual(xiaomi.handed.map(({ target }) => target.address), [`xiaomi ${device}`])
  t.assert.deepEqual(await trial.waiting(device), [], 'once a vendor has it, the own channel does not repeat it')
  t.assert.equal(await trial.state(task), 'done')
  await trial.acknowledge()
  t.assert.deepEqual(await trial.tally(task), {
    nativepush_target: 1, nativepush_sent: 1, nativepush_received: 1, xiaomi_target: 1, xiaomi_sent: 1,
  })
})

test('an unacknowledged push waits in the inbox when no vendor can take it, and the task is done', async (t: TestContext) => {
  const trial = await startTrial(t)
  const device = await trial.addDevice({ online: true })
  const task = await trial.notify()
  await trial.advance(ACK_MS)
  t.assert.deepEqual(await trial.waiting(device), [task])
  t.assert.equal(await trial.state(task), 'done')
  t.assert.deepEqual(await trial.tally(task), { nativepush_target: 1, nativepush_sent: 1 })
})

test('vendors are tried in the order of the sequence, and a dead address moves on to the next one', async (t: TestContext) => {
  const trial = await startTrial(t)
  const xiaomi = trial.addVendor('xiaomi')
  const huawei = trial.addVendor('huawei')
  const device = await trial.addDevice({ tokens: ['huawei', 'xiaomi'] })
  xiaomi.answer = () => ({ kind: 'dead', why: 'uninstalled' })
  const task = await trial.notify({ setting: { distribution_strategy: 'ospush_only' } })
  t.assert.deepEqual(xiaomi.devices, [device])
  t.assert.deepEqual(huawei.devices, [device])
  t.assert.deepEqual(await trial.tally(task), { xiaomi_target: 1, huawei_target: 1, huawei_sent: 1 })
  t.assert.equal(await trial.state(task), 'done')
})

test('when every vendor refuses for good, combined keeps it in the inbox and ospush_only ends it', async (t: TestContext) => {
  const trial = await startTrial(t)
  const xiaomi = trial.addVendor('xiaomi')
  xiaomi.answer = () => ({ kind: 'refused', why: 'too long' })
  const device = await trial.addDevice({ tokens: ['xiaomi'] })
  const combined = await trial.notify()
  const vendorsOnly = await trial.notify({ setting: { distribution_strategy: 'ospush_only' } })
  t.assert.deepEqual(await trial.waiting(device), [combined])
  t.assert.equal(await trial.state(vendorsOnly), 'done')
  t.assert.ok((await trial.trace(vendorsOnly, device)).includes('xiaomi: refused (too long)'))
})

test('a vendor that cannot carry the type is passed over', async (t: TestContext) => {
  const trial = await startTrial(t)
  const xiaomi = trial.addVendor('xiaomi')
  const huawei = trial.addVendor('huawei')
  xiaomi.carries = ({ type }) => type !== 'cmd'
  await trial.addDevice({ tokens: ['xiaomi', 'huawei'] })
  await trial.notify({ message: { type: 'cmd', ext: { go: 1 } } })
  t.assert.equal(xiaomi.handed.length, 0)
  t.assert.equal(huawei.handed.length, 1)
})

test('a vendor that is busy is asked again at the time it says, with the same batch', async (t: TestContext) => {
  const trial = await startTrial(t)
  const xiaomi = trial.addVendor('xiaomi')
  await trial.addDevice({ tokens: ['xiaomi'] })
  const { now } = trial.clock
  xiaomi.answer = () => ({ kind: 'later', why: 'busy', at: now() + 60_000 })
  const task = await trial.notify()
  await trial.advance(59_000)
  t.assert.equal(xiaomi.handed.length, 1)
  xiaomi.answer = () => ({ kind: 'sent' })
  await trial.advance(1_000)
  t.assert.equal(xiaomi.handed.length, 2)
  t.assert.deepEqual(await trial.tally(task), { xiaomi_target: 1, xiaomi_sent: 1 })
})

test('an answer that is lost is asked for three times, then the push counts as refused', async (t: TestContext) => {
  const trial = await startTrial(t)
  const xiaomi = trial.addVendor('xiaomi')
  xiaomi.answer = () => ({ kind: 'unknown', why: 'time-out' })
  await trial.addDevice({ tokens: ['xiaomi'] })
  const task = await trial.notify({ setting: { distribution_strategy: 'ospush_only' } })
  for (let i = 0; i < 10; i++) await trial.advance(10_000)
  t.assert.equal(xiaomi.handed.length, 3)
  t.assert.equal(await trial.state(task), 'done')
})

test('a push whose credentials are denied waits for new ones until it expires, and then the task has expired', async (t: TestContext) => {
  const trial = await startTrial(t)
  const xiaomi = trial.addVendor('xiaomi')
  xiaomi.answer = () => ({ kind: 'denied', why: 'secret revoked', at: trial.clock.now() + 60_000 })
  await trial.addDevice({ tokens: ['xiaomi'] })
  const task = await trial.notify({ setting: { time_to_live: 90 } })
  await trial.advance(60_000)
  t.assert.equal(await trial.state(task), 'sending')
  await trial.advance(60_000)
  t.assert.equal(await trial.state(task), 'expired')
})

test('the same request_id twice reaches the device once, also when both are accepted at once', async (t: TestContext) => {
  const trial = await startTrial(t)
  await trial.addDevice({ online: true })
  const notify = { setting: { request_id: 'order 7' } }
  const ids = await Promise.all([trial.notify(notify), trial.notify(notify), trial.notify(notify)])
  t.assert.equal(new Set([...ids, await trial.notify(notify)]).size, 1)
  t.assert.equal(trial.own.handed.length, 1)
})

test('a dry run counts its targets, sends nothing, raises no badge and does not use up its request_id', async (t: TestContext) => {
  const trial = await startTrial(t)
  const device = await trial.addDevice({ online: true })
  const dry = await trial.notify({ setting: { dry_run: true, request_id: 'r' } })
  t.assert.deepEqual(trial.own.handed, [])
  t.assert.deepEqual(await trial.tally(dry), { nativepush_target: 1 })
  t.assert.equal(await trial.state(dry), 'done')
  const real = await trial.notify({ setting: { request_id: 'r' } })
  t.assert.notEqual(real, dry)
  t.assert.equal(trial.own.handed[0]!.target.badge, 1)
  await trial.advance(ACK_MS)
  t.assert.deepEqual(await trial.waiting(device), [real], 'unacknowledged, and nothing of the dry run')
})

test('badges count up by default, follow the message, and are the same number on every channel', async (t: TestContext) => {
  const trial = await startTrial(t)
  const xiaomi = trial.addVendor('xiaomi')
  await trial.addDevice({ online: true, tokens: ['xiaomi'] })
  await trial.notify()
  await trial.notify({ message: { title: 'set', badge: '40' } })
  await trial.notify({ message: { title: 'add', badge: '+2' } })
  await trial.notify({ message: { type: 'cmd', ext: { a: 1 } } })
  t.assert.deepEqual(trial.own.handed.map(({ target }) => target.badge), [1, 40, 42, null])
  await trial.advance(ACK_MS)
  t.assert.deepEqual(xiaomi.handed.map(({ target }) => target.badge), [1, 40, 42, null])
})

test('a task waits for its send_time', async (t: TestContext) => {
  const trial = await startTrial(t)
  await trial.addDevice({ online: true })
  const task = await trial.notify({ setting: { send_time: trial.clock.now() / 1000 + 60 } })
  t.assert.equal(await trial.state(task), 'accepted')
  await trial.advance(59_000)
  t.assert.equal(trial.own.handed.length, 0)
  await trial.advance(1_000)
  t.assert.equal(trial.own.handed.length, 1)
})

test('quiet hours hold a push until they end; cmd and high priority pass', async (t: TestContext) => {
  const trial = await startTrial(t)
  const device = await trial.addDevice({ online: true })
  const hour = new Date(trial.clock.now()).getUTCHours()
  await trial.quiet(device, hour, (hour + 2) % 24)
  const held = await trial.notify()
  const command = await trial.notify({ message: { type: 'cmd', ext: { a: 1 } } })
  const urgent = await trial.notify({ setting: { priority: 'high' } })
  t.assert.deepEqual(trial.own.handed.map(({ push }) => push.taskId), [command, urgent])
  t.assert.deepEqual(await trial.tally(held), {}, 'held is no target yet')
  t.assert.equal(await trial.state(held), 'sending')
  await trial.advance(2 * HOUR)
  t.assert.equal(trial.own.handed.at(-1)!.push.taskId, held)
  await trial.acknowledge()
  t.assert.deepEqual(await trial.tally(held), { nativepush_target: 1, nativepush_sent: 1, nativepush_received: 1 })
  t.assert.equal(await trial.state(held), 'done')
})

test("the app's quiet hours hold for users who have none of their own", async (t: TestContext) => {
  const trial = await startTrial(t)
  const [usual, own] = [await trial.addDevice({ online: true }), await trial.addDevice({ online: true })]
  const hour = new Date(trial.clock.now()).getUTCHours()
  trial.quietHours = [hour, (hour + 2) % 24]
  await trial.quiet(own, (hour + 4) % 24, (hour + 6) % 24)
  await trial.notify()
  t.assert.deepEqual(trial.own.handed.map(({ target }) => target.deviceId), [own])
  await trial.advance(2 * HOUR)
  t.assert.deepEqual(trial.own.handed.map(({ target }) => target.deviceId), [own, usual])
})

test('what would expire in quiet hours is not sent, and the trace says why', async (t: TestContext) => {
  const trial = await startTrial(t)
  const device = await trial.addDevice({ online: true })
  const hour = new Date(trial.clock.now()).getUTCHours()
  await trial.quiet(device, hour, (hour + 3) % 24)
  const task = await trial.notify({ setting: { time_to_live: 3600 } })
  t.assert.equal(await trial.state(task), 'done')
  t.assert.ok((await trial.trace(task, device)).some((step) => step.includes('quiet hours')))
})

test('time to live 0 is now or never: an away device does not get it later', async (t: TestContext) => {
  const trial = await startTrial(t)
  const away = await trial.addDevice()
  const here = await trial.addDevice({ online: true })
  const task = await trial.notify({ setting: { time_to_live: 0 } })
  t.assert.deepEqual(trial.own.devices, [here])
  t.assert.deepEqual(await trial.waiting(away), [])
  await trial.acknowledge()
  t.assert.deepEqual(await trial.tally(task), { nativepush_target: 1, nativepush_sent: 1, nativepush_received: 1 })
})

test('what has expired leaves the inbox, and the counters stay', async (t: TestContext) => {
  const trial = await startTrial(t)
  const device = await trial.addDevice()
  const task = await trial.notify({ setting: { time_to_live: 60 } })
  t.assert.deepEqual(await trial.waiting(device), [task])
  await trial.advance(60_000)
  t.assert.deepEqual(await trial.waiting(device), [])
  t.assert.equal(await trial.state(task), 'done', 'it was tried: nothing was left but the inbox')
  t.assert.deepEqual(await trial.tally(task), { nativepush_target: 1 })
})

test('the inbox keeps the newest, and the rest end as overflow', async (t: TestContext) => {
  const trial = await startTrial(t)
  trial.inboxLimit = 3
  const device = await trial.addDevice()
  const tasks = [await trial.notify(), await trial.notify(), await trial.notify(), await trial.notify(), await trial.notify()]
  t.assert.deepEqual(await trial.waiting(device), tasks.slice(2))
  t.assert.ok((await trial.trace(tasks[0]!, device)).some((step) => step.includes('full of newer ones')))
})

test('a newer push with the same collapse_id takes the place of the one that waits', async (t: TestContext) => {
  const trial = await startTrial(t)
  const device = await trial.addDevice()
  const first = await trial.notify({ setting: { collapse_id: 'score' } })
  const other = await trial.notify({ setting: { collapse_id: 'weather' } })
  const second = await trial.notify({ setting: { collapse_id: 'score' } })
  t.assert.deepEqual(await trial.waiting(device), [other, second])
  await trial.run()
  t.assert.deepEqual(await trial.waiting(device), [other, second])
  t.assert.ok((await trial.trace(first, device)).some((step) => step.includes('collapse_id')))
})

test('an audience too large to plan at once is planned page by page, everyone once, in any mix of roads', async (t: TestContext) => {
  const trial = await startTrial(t)
  const xiaomi = trial.addVendor('xiaomi')
  const online = await Promise.all(Array.from({ length: 80 }, () => trial.addDevice({ online: true })))
  const vendor = await Promise.all(Array.from({ length: 80 }, () => trial.addDevice({ tokens: ['xiaomi'] })))
  const away = await Promise.all(Array.from({ length: 80 }, () => trial.addDevice()))
  const task = await trial.notify()
  t.assert.deepEqual([...trial.own.devices].sort((a, b) => a - b), [...online].sort((a, b) => a - b))
  t.assert.deepEqual([...xiaomi.devices].sort((a, b) => a - b), [...vendor].sort((a, b) => a - b))
  for (const device of away) t.assert.deepEqual(await trial.waiting(device), [task])
  await trial.acknowledge()
  t.assert.deepEqual(await trial.tally(task), {
    nativepush_target: 160, nativepush_sent: 80, nativepush_received: 80, xiaomi_target: 80, xiaomi_sent: 80,
  })
  t.assert.equal(await trial.state(task), 'done')
})

test('a place of a wide task is found by its device, and is gone once the device has it', async (t: TestContext) => {
  const trial = await startTrial(t)
  const devices = await Promise.all(Array.from({ length: 100 }, () => trial.addDevice()))
  const task = await trial.notify()
  const [waiting] = await trial.inbox.read(trial.app, devices[37]!, 0, 10)
  trial.receipts.received({ app: trial.app, channel: 'nativepush', taskId: task, batchId: waiting!.batchId, index: waiting!.index })
  trial.receipts.received({ app: trial.app, channel: 'nativepush', taskId: task, batchId: waiting!.batchId, index: waiting!.index })
  await trial.receipts.flush()
  t.assert.deepEqual(await trial.waiting(devices[37]!), [])
  t.assert.deepEqual(await trial.waiting(devices[38]!), [task])
  t.assert.deepEqual(await trial.tally(task), { nativepush_target: 100, nativepush_sent: 1, nativepush_received: 1 })
})

test('after a crash what was written and not acknowledged is due again, and nothing is counted twice', async (t: TestContext) => {
  const trial = await startTrial(t)
  const device = await trial.addDevice({ online: true })
  const task = await trial.notify()
  await trial.restart()
  t.assert.deepEqual(await trial.waiting(device), [task])
  t.assert.equal(await trial.state(task), 'done')
  const [again] = await trial.inbox.read(trial.app, device, 0, 10)
  t.assert.equal(again!.again, true)
  trial.receipts.received({ app: trial.app, channel: 'nativepush', taskId: task, batchId: again!.batchId, index: again!.index })
  await trial.receipts.flush()
  t.assert.deepEqual(await trial.tally(task), { nativepush_target: 1, nativepush_sent: 1, nativepush_received: 1 })
})

test('a receipt raises a delivery once, whoever repeats it, and a foreign task or device changes nothing', async (t: TestContext) => {
  const trial = await startTrial(t)
  const xiaomi = trial.addVendor('xiaomi')
  const device = await trial.addDevice({ tokens: ['xiaomi'] })
  const task = await trial.notify()
  t.assert.equal(xiaomi.handed.length, 1)
  const report = { app: trial.app, deviceId: device, taskId: task, event: 'received' } as const
  t.assert.deepEqual(await Promise.all([trial.receipts.report(report), trial.receipts.report(report)]), [true, true])
  t.assert.deepEqual(await trial.tally(task), { xiaomi_target: 1, xiaomi_sent: 1, xiaomi_received: 1 }, 'stored when told so')
  t.assert.equal(await trial.receipts.report({ ...report, event: 'clicked', channel: 'xiaomi' }), true)
  t.assert.equal(await trial.receipts.report({ ...report, channel: 'huawei' }), false)
  t.assert.equal(await trial.receipts.report({ ...report, deviceId: device + 1 }), false)
  t.assert.equal(await trial.receipts.report({ ...report, app: trial.app + 1 }), false)
  t.assert.equal(await trial.receipts.report({ ...report, taskId: task + 1 }), false)
  await trial.receipts.flush()
  t.assert.deepEqual(await trial.tally(task), { xiaomi_target: 1, xiaomi_sent: 1, xiaomi_received: 1 })
  t.assert.ok((await trial.trace(task, device)).some((step) => step.includes('clicked')))
})

test('the content of old tasks is purged, their counters and request_ids are kept', async (t: TestContext) => {
  const trial = await startTrial(t)
  await trial.addDevice({ online: true })
  const task = await trial.notify({ setting: { request_id: 'once' } })
  await trial.acknowledge()
  await trial.advance(31 * DAY)
  await trial.purge(30)
  t.assert.deepEqual(await trial.tally(task), { nativepush_target: 1, nativepush_sent: 1, nativepush_received: 1 })
  t.assert.deepEqual(await trial.trace(task, 1), ['the task was accepted', 'the device was not in the audience when the task was planned'])
  t.assert.equal(await trial.notify({ setting: { request_id: 'once' } }), task)
  t.assert.equal(trial.own.handed.length, 1)
})
