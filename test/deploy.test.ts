// Once: it starts three nodes of its own, behind nginx.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import test, { after, type TestContext } from 'node:test'
import mqtt from 'mqtt'
import type { Envelope, Login } from './harness/api.ts'
import { startCluster } from './harness/cluster.ts'
import { connectDevice } from './harness/device.ts'
import { startFront } from './harness/proxied.ts'

const everything = 'http,gateway,worker'
const env = { CARILLON_TRUST_PROXY: '127.0.0.1', CARILLON_ADDRESS_FAILURES: '2', CARILLON_LOG_LEVEL: 'info' }
const cluster = await startCluster({ after }, [everything, everything, everything], { env })
const { admin, members } = cluster
const places = members.map(({ node }) => ({ http: node.port, mqtt: node.mqttPort }))
const front = await startFront({ after }, places, { admin })
const limit = { timeout: 60_000 }

interface Asked {
  body: unknown
  headers?: Record<string, string>
  /** Which of this machine's addresses it comes from. */
  from?: string
  agent?: Agent
}

/** A POST through nginx of which more than its body is chosen. */
const post = async (path: string, { body, headers, from, agent }: Asked): Promise<{ status: number } & Envelope> => {
  const asking = request(front.http + path, {
    method: 'POST',
    headers: { app_id: 'demo', 'access-token': admin, 'content-type': 'application/json', ...headers },
    localAddress: from,
    agent,
  })
  asking.end(JSON.stringify(body))
  const [answer] = await once(asking, 'response')
  const isOurs = answer.headers['content-type'] === 'application/json'
  if (!isOurs) answer.resume()
  return { status: answer.statusCode, ...(isOurs ? ((await json(answer)) as Envelope) : { code: 0, data: null, message: null }) }
}

const newDevice = async (name: string): Promise<{ login: Login; send(title: string): Promise<number> }> => {
  const userId = await front.addUser(name)
  const login = await front.tokenFor(userId, name)
  return { login, send: (title) => front.notify({ audience: { user_id: [userId] }, message: { title } }) }
}

test('nginx passes on app_id, and says itself only what is its own to say', limit, async (t: TestContext) => {
  t.assert.equal((await front.call('/push/task/list', { token: admin })).code, 200)
  t.assert.equal((await front.call('/push/task/list', { token: admin, app: 'nobody' })).code, 40000)
  const { status, code } = await front.call('/metrics')
  t.assert.deepEqual([status, code], [404, 40400])
})

test('a device gets pushes through nginx, over TCP and over WebSocket', limit, async (t: TestContext) => {
  for (const over of ['tcp', 'ws'] as const) {
    const { login, send } = await newDevice(over)
    const device = await connectDevice(t, front, login, { over })
    const task = await send('hello')
    await device.has(1)
    t.assert.deepEqual(device.tasks, [task])
  }
})

test('server-sent events come as they happen, not when a buffer is full', limit, async (t: TestContext) => {
  const { login, send } = await newDevice('stream')
  const asking = request(`${front.http}/push/stream`, { headers: { app_id: 'demo', 'access-token': login.token, 'push-token': login.push_token } })
  asking.end()
  t.after(() => asking.destroy())
  const [stream] = await once(asking, 'response')
  t.assert.equal(stream.headers['content-type'], 'text/event-stream')
  let seen = ''
  for (const title of ['one', 'two']) {
    await send(title)
    while (!seen.includes(title)) seen += String((await once(stream, 'data'))[0])
  }
})

test('the address of whoever calls arrives, whatever they claim', limit, async (t: TestContext) => {
  const headers = { 'x-forwarded-for': '198.51.100.7', forwarded: 'for=198.51.100.7' }
  let names = 0
  const guess = async (from: string): Promise<number> =>
    (await post('/token/user', { from, headers, body: { name: `somebody ${(names += 1)}`, password: 'a wrong one' } })).code
  let code
  while ((code = await guess('127.0.0.2')) === 10020);
  t.assert.equal(code, 42900, 'this address has guessed enough')
  t.assert.equal(await guess('127.0.0.3'), 10020, 'another one has not')

  const stranger = mqtt.connect(front.webSocket, { username: 'nobody', reconnectPeriod: 0, wsOptions: { localAddress: '127.0.0.4' } })
  t.after(() => stranger.endAsync(true))
  await once(stranger as never, 'error')
  const refused = cluster.log.split('\n').filter((line) => line.includes('connection refused'))
  t.assert.match(refused.join('\n'), /"address":"127\.0\.0\.4"/)
})

test('nodes are stopped one after the other: every call is answered, and none is done twice', limit, async (t: TestContext) => {
  const agent = new Agent({ keepAlive: true })
  t.after(() => agent.destroy())
  let isOver = false
  let cutOff = 0
  let calls = 0
  const tasks = new Set<number>()
  const caller = async (who: number): Promise<void> => {
    while (!isOver) {
      calls += 1
      const body = { audience: { alias: ['nobody'] }, message: { title: 'x' }, setting: { request_id: `${who} ${calls}` } }
      let answer = await post('/push/notify', { body, agent })
      for (; answer.status === 502; answer = await post('/push/notify', { body, agent })) cutOff += 1
      t.assert.equal(answer.code, 200)
      tasks.add(answer.data.task_id)
    }
  }
  const calling = Promise.all(Array.from({ length: 8 }, (_, who) => caller(who)))
  for (const { node } of members) {
    t.assert.equal((await node.stop()).code, 0)
    await node.start()
  }
  isOver = true
  await calling
  t.assert.equal(tasks.size, calls)
  // Whoever knocks in the very moment a door closes is cut off and asks again; that is not more than one or two.
  t.assert.ok(cutOff <= members.length, `${cutOff} of ${calls}\n${front.nginx.log}`)
})

/** Something that takes every call and says nothing. */
const takesAndDies = async (t: TestContext): Promise<{ port: number; taken: string[] }> => {
  const taken: string[] = []
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (bytes) => {
      taken.push(bytes.toString().split(' ', 1)[0]!)
      socket.destroy()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return { port: (server.address() as AddressInfo).port, taken }
}

test('a POST that may have been taken is not sent to another node; what may be repeated is', limit, async (t: TestContext) => {
  const dying = await takesAndDies(t)
  const [node] = places
  const other = await startFront(t, [{ http: dying.port, mqtt: dying.port }, node!, node!], { admin })
  const newest = async (): Promise<number> => (await front.ok('/push/task/list', { token: admin }))[0].task_id
  await front.notify({ audience: { alias: ['nobody'] }, message: { title: 'before' } })
  const before = await newest()
  const headers = { app_id: 'demo', 'access-token': admin, 'content-type': 'application/json' }
  const body = JSON.stringify({ audience: { alias: ['nobody'] }, message: { title: 'lost' } })
  const { status } = await fetch(`${other.http}/push/notify`, { method: 'POST', headers, body })
  t.assert.equal(status, 502)
  t.assert.equal(await newest(), before, 'nobody else was asked')
  // nginx has several workers, each of which goes round by itself.
  while (!dying.taken.includes('GET')) await other.ok('/push/task/list', { token: admin })
  t.assert.deepEqual(dying.taken.filter((method) => method === 'POST'), ['POST'])
})

test('with the lines for TLS taken in, all doors speak TLS', limit, async (t: TestContext) => {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-tls-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key]
  execFileSync('openssl', ['req', '-x509', ...newKey, '-out', cert, '-days', '2', '-subj', '/CN=localhost'], { stdio: 'ignore' })
  const secret = await startFront(t, places, { admin, tls: { cert, key } })
  for (const over of ['tcp', 'ws'] as const) {
    const { login, send } = await newDevice(`${over} in secret`)
    const device = await connectDevice(t, secret, login, { over, rejectUnauthorized: false })
    const task = await send('hello')
    await device.has(1)
    t.assert.deepEqual(device.tasks, [task])
  }
})
