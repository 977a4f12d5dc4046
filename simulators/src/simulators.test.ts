import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createTcpServer, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import test, { type TestContext } from 'node:test'
import { vendorNames } from '@carillon/protocol/names.ts'
import { openClient } from './client.fixture.ts'
import { Receipts } from './receipts.ts'
import type { ReceiptSent } from './inspection.ts'
import { startSimulators, type SimulatorsOptions } from './simulators.ts'

const jwt = 'eyJhbGciOiJFUzI1NiIsImtpZCI6IkNBUklMTE9OMDEifQ.eyJpc3MiOiJURUFNMTIzNDU2IiwiaWF0IjoxNzAwMDAwMDAwfQ'
const headers = { authorization: `bearer ${jwt}.${'A'.repeat(86)}`, 'apns-topic': 'com.example' }
const now = 1_700_000_000_000
const deviceOf = (number: number) => number.toString(16).padStart(64, '0')

const open = async (t: TestContext, options: SimulatorsOptions = {}) => {
  const simulators = await startSimulators({ now: () => now, ...options })
  t.after(() => simulators.close())
  const client = await openClient(simulators.urls.apns)
  t.after(() => client.close())
  const push = (number: number) => client.post(`/3/device/${deviceOf(number)}`, headers, '{"aps":{"badge":1}}')
  const ask = async (path: string, init: RequestInit = {}) => {
    const reply = await fetch(simulators.inspectUrl + path, init)
    return { status: reply.status, headers: reply.headers, text: await reply.text() }
  }
  const order = (body: unknown) =>
    ask('/order', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  return { simulators, client, push, ask, order }
}

test('every vendor has a port of its own', async (t) => {
  const { simulators } = await open(t)
  t.assert.deepEqual(Object.keys(simulators.urls), vendorNames)
  t.assert.equal(new Set([...Object.values(simulators.urls), simulators.inspectUrl]).size, 1 + vendorNames.length)
})

test('a given port is the inspection\'s, and a taken one fails and leaves none open', async (t) => {
  // An address of its own: nobody else takes a port there meanwhile.
  const host = '127.0.7.70'
  const probe = createTcpServer().listen(0, host)
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  await t.assert.rejects(startSimulators({ host, port: port - 3 }), { code: 'EADDRINUSE' })
  probe.close()
  await once(probe, 'close')
  const simulators = await startSimulators({ host, port: port - 3 })
  t.after(() => simulators.close())
  t.assert.equal(simulators.inspectUrl, `http://${host}:${port - 3}`)
  t.assert.equal(Object.values(simulators.urls)[2], `http://${host}:${port}`)
})

test('what was received is told by vendor, without secrets, and can be forgotten', async (t) => {
  const { push, ask, simulators } = await open(t)
  await push(1)
  const [received] = JSON.parse((await ask('/received?vendor=apns')).text)
  t.assert.equal(received.at, now)
  t.assert.equal(received.path, `/3/device/${deviceOf(1)}`)
  t.assert.equal(received.protocol, 'h2')
  t.assert.equal(received.fate, 'answered')
  t.assert.deepEqual(received.headers, { 'apns-topic': 'com.example' })
  t.assert.deepEqual(received.answer, { status: 200, body: '' })
  t.assert.equal((await ask('/received?vendor=fcm')).text, '[]')
  t.assert.equal((await ask('/received?vendor=nobody')).status, 400)
  const fate = { taken: 1, answered: 1, ambiguous: 0, refused: 0, early: 0 }
  t.assert.deepEqual(JSON.parse((await ask('/fates?vendor=apns')).text), { [deviceOf(1)]: fate })
  t.assert.equal((await ask('/received', { method: 'DELETE' })).status, 200)
  t.assert.deepEqual([simulators.received(), simulators.fates('apns').size], [[], 0])
})

test('only the newest pushes are kept whole, and all of them are counted', async (t) => {
  const { push, simulators } = await open(t, { keep: 3 })
  for (let number = 0; number < 10; number += 1) await push(number)
  t.assert.deepEqual(simulators.received().map(({ tokens }) => tokens[0]), [7, 8, 9].map(deviceOf))
  t.assert.equal(simulators.fates('apns').size, 10)
})

test('troubles, outcomes and options are ordered over HTTP too, and taken back', async (t) => {
  const { push, ask, order } = await open(t)
  t.assert.equal((await order({ vendor: 'apns', fault: 'status', status: 503, times: 2 })).status, 200)
  t.assert.equal((await push(1)).status, 503)
  const left = [{ vendor: 'apns', fault: 'status', status: 503, times: 1 }]
  t.assert.deepEqual(JSON.parse((await ask('/order')).text), left)
  await order({ vendor: 'apns', token: deviceOf(2), outcome: 'Unregistered' })
  await order({ vendor: 'apns', options: { sandbox: true } })
  t.assert.equal((await ask('/order', { method: 'DELETE' })).status, 200)
  const reply = await push(2)
  t.assert.deepEqual([reply.status, reply.headers['apns-unique-id']], [200, undefined])
})

test('an order that makes no sense is refused in words', async (t) => {
  const { ask, order } = await open(t)
  const cases: [unknown, RegExp][] = [
    [[], /^An order is a JSON object/],
    [{ fault: 'fire' }, /^fault: one of latency/],
    [{ fault: 'toString' }, /^fault: one of latency/],
    [{ fault: 'reset', vendor: 'nativepush' }, /^vendor: one of .*\bapns\b/],
    [{ fault: 'reset', chance: 2 }, /^chance: a number between 0 and 1/],
    [{ fault: 'reset', times: 1.5 }, /^times: a whole number/],
    [{ fault: 'reset', colour: 'red' }, /^colour: no field/],
    [{ fault: 'reset', on: 'monday' }, /^on: push or access/],
    [{ fault: 'latency' }, /^ms: latency needs it/],
    [{ fault: 'status', status: 404 }, /^status: 500 to 599/],
    [{ fault: 'expired' }, /^vendor: expired is for one vendor/],
    [{ vendor: 'apns', token: 'a', outcome: 'fine' }, /^outcome: one of BadCollapseId/],
    [{ vendor: 'apns', token: 'a', outcome: 'toString' }, /^outcome: one of/],
    [{ vendor: 'apns', outcome: 'Unregistered' }, /^token: /],
    [{ token: 'a', outcome: 'Unregistered' }, /^vendor: /],
    [{ vendor: 'apns', options: { colour: 1 } }, /^options\.colour: not one of sandbox/],
    [{ vendor: 'apns', options: { sandbox: 'yes' } }, /^options\.sandbox: a boolean/],
  ]
  for (const [body, words] of cases) {
    const reply = await order(body)
    t.assert.equal(reply.status, 400)
    t.assert.match(JSON.parse(reply.text).message, words)
  }
  const bare = await ask('/order', { method: 'POST', body: '{"fault":"reset"}' })
  t.assert.equal(bare.status, 400)
  t.assert.equal((await ask('/order')).text, '[]')
  t.assert.equal((await ask('/nothing')).status, 404)
})

test('a page shows it live and loads nothing from elsewhere', async (t) => {
  const { push, ask, simulators } = await open(t)
  const page = await ask('/')
  t.assert.match(page.headers.get('content-type')!, /^text\/html/)
  t.assert.match(page.headers.get('content-security-policy')!, /^default-src 'none'; connect-src 'self'; style-src/)
  t.assert.doesNotMatch(page.text, /https?:|src=|href=/)
  const live = await fetch(`${simulators.inspectUrl}/live`)
  const reader = live.body!.pipeThrough(new TextDecoderStream()).getReader()
  await reader.read()
  await push(5)
  const { value } = await reader.read()
  t.assert.deepEqual(JSON.parse(value!.replace(/^data: /, '')).received.tokens, [deviceOf(5)])
  await reader.cancel()
})

test('a receipt is posted, and what came of it is kept', async (t) => {
  const calls: string[] = []
  const receiver = createServer((message, response) => {
    void text(message).then((body) => {
      calls.push(`${message.method} ${message.url} ${message.headers['content-type']} ${body}`)
      response.writeHead(204).end()
    })
  }).listen(0, '127.0.0.1')
  t.after(() => receiver.close())
  await once(receiver, 'listening')
  const { port } = receiver.address() as AddressInfo
  const { promise, resolve } = Promise.withResolvers<ReceiptSent[]>()
  const sent: ReceiptSent[] = []
  const receipts = new Receipts((receipt) => sent.push(receipt) === 2 && resolve(sent), () => now)
  const call = { headers: { 'content-type': 'application/json' }, body: '[]' }
  receipts.send('oppo', { url: `http://127.0.0.1:${port}/r`, ...call })
  receipts.send('oppo', { url: 'http://127.0.0.1:1/', ...call })
  const results = Object.fromEntries((await promise).map(({ url, result }) => [url, result]))
  t.assert.deepEqual(calls, ['POST /r application/json []'])
  t.assert.equal(results[`http://127.0.0.1:${port}/r`], 204)
  t.assert.match(String(results['http://127.0.0.1:1/']), /ECONNREFUSED|bad port/)
})
