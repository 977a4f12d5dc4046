import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingHttpHeaders, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import test, { type TestContext } from 'node:test'
import { type Carillon, startCarillon } from './harness/carillon.ts'
import { connectDevice } from './harness/device.ts'

interface Told {
  headers: IncomingHttpHeaders
  body: string
}

/** Somebody who listens; `answers` are the statuses given, then 204. */
const listen = async (t: TestContext, answers: number[] = []) => {
  const told: Told[] = []
  const waiting: (() => void)[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      told.push({ headers: request.headers, body })
      response.writeHead(answers.shift() ?? 204, { location: 'http://127.0.0.1:1/' }).end()
      waiting.splice(0).forEach((resolve) => resolve())
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const has = async (count: number): Promise<Told[]> => {
    while (told.length < count) await new Promise<void>((resolve) => waiting.push(resolve))
    return told
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, told, has }
}

const setHook = (carillon: Carillon, url: string) =>
  carillon.ok<{ secret: string }>('/app/webhook', { method: 'PUT', token: carillon.admin, body: { url } })

test('a task that has ended is told once, signed, with its counters', async (t: TestContext) => {
  const carillon = await startCarillon(t)
  const listener = await listen(t)
  const { secret } = await setHook(carillon, listener.url)
  const device = await connectDevice(t, carillon, await carillon.tokenFor(await carillon.addUser('ann'), 'phone'))
  const task = await carillon.notify({ audience: 'all', message: { title: 'Hello' } })
  await device.has(1)
  const [told] = await listener.has(1)
  const { headers, body } = told!
  const timestamp = headers['carillon-timestamp'] as string
  t.assert.equal(headers['carillon-signature'], createHmac('sha256', secret).update(timestamp + body).digest('hex'))
  t.assert.equal(headers['carillon-event'], 'task.finished')
  const event = JSON.parse(body)
  t.assert.equal(event.data.task_id, task)
  t.assert.equal(event.data.state, 'done')
  t.assert.deepEqual(event.data.counters, { nativepush: { target: 1, sent: 1, received: 1 } })
  const events = await carillon.until(
    () => carillon.ok('/app/webhook/events', { token: carillon.admin }),
    ([row]) => row.delivered_at !== null,
  )
  t.assert.equal(events.length, 1)
  t.assert.equal(events[0].answer, 'HTTP 204')
})

test('an event that is not taken stays due, a redirect is not followed, and a replay tells it again', async (t: TestContext) => {
  const carillon = await startCarillon(t)
  const listener = await listen(t, [302])
  await setHook(carillon, listener.url)
  await carillon.ok('/app/webhook/test', { method: 'POST', token: carillon.admin })
  await listener.has(1)
  const list = () => carillon.ok('/app/webhook/events', { token: carillon.admin })
  const [refused] = await carillon.until(list, ([row]) => row.answer !== null)
  t.assert.equal(refused.answer, 'HTTP 302')
  t.assert.equal(refused.delivered_at, null)
  t.assert.equal(refused.due_at > refused.at, true)
  const { replayed } = await carillon.ok('/app/webhook/replay', { token: carillon.admin, body: { list: [refused.id, 999] } })
  t.assert.equal(replayed, 1)
  await listener.has(2)
  await carillon.until(list, ([row]) => row.delivered_at !== null)
})

test('without a webhook nothing is kept, and its settings are for admins of the app alone', async (t: TestContext) => {
  const carillon = await startCarillon(t)
  await carillon.notify({ audience: 'all', message: { title: 'Hello' } })
  t.assert.deepEqual(await carillon.ok('/app/webhook/events', { token: carillon.admin }), [])
  t.assert.equal(await carillon.ok('/app/webhook', { token: carillon.admin }), null)
  const bad = await carillon.call('/app/webhook', { method: 'PUT', token: carillon.admin, body: { url: 'ftp://x' } })
  t.assert.equal(bad.code, 10002)
  t.assert.match(bad.message!, /url/)
  const { token } = await carillon.tokenFor(await carillon.addUser('bob'), 'phone')
  t.assert.equal((await carillon.call('/app/webhook', { token })).code, 10010)
})
