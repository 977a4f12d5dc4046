// Once: it starts three nodes of its own, behind nginx.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import test, { after, type TestContext } from 'node:test'
import mqtt, { type IClientOptions } from 'mqtt'
import type { Envelope, Login } from './harness/carillon.ts'
import { Device } from './harness/device.ts'
import { type Front, startFront, startThree } from './harness/proxied.ts'

const nodes = await startThree({ after }, { CARILLON_TRUST_PROXY: '127.0.0.1', CARILLON_ADDRESS_FAILURES: '2', CARILLON_LOG_LEVEL: 'info' })
const places = nodes.map(({ port, mqttPort }) => ({ http: port, mqtt: mqttPort }))
const front = await startFront(places)
after(() => front.stop())
const admin = /ca_[\w-]+/.exec(nodes[0]!.printed.join('\n'))![0]
const limit = { timeout: 60_000 }

interface Asked {
  body?: unknown
  token?: string
  headers?: Record<string, string>
  /** Which of this machine's addresses it comes from. */
  from?: string
  agent?: Agent
}

/** A call through nginx, with the header's own spelling. */
const call = async (path: string, { body, token = admin, headers, from, agent }: Asked = {}): Promise<{ status: number } & Envelope> => {
  const asking = request(front.http + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { app_id: 'demo', 'access-token': token, 'content-type': 'application/json', ...headers },
    localAddress: from,
    agent,
  })
  asking.end(body === undefined ? undefined : JSON.stringify(body))
  const [answer] = await once(asking, 'response')
  return { status: answer.statusCode, ...((await json(answer)) as Envelope) }
}

const ok = async (path: string, asked?: Asked) => {
  const { code, data, message } = await call(path, asked)
  if (code !== 200) throw new Error(`${path} answered ${code}: ${message}`)
  return data
}

const newDevice = async (name: string): Promise<{ login: Login; send(title: string): Promise<number> }> => {
  const [{ user_id }] = await ok('/user/register/batch', { body: { list: [{ username: name }] } })
  const login = await ok('/token/admin', { body: { user_id, device_guid: name } })
  return { login, send: async (title) => (await ok('/push/notify', { body: { audience: { user_id: [user_id] }, message: { title } } })).task_id }
}

const connect = async (t: TestContext, url: string, { push_token, token }: Login, options: IClientOptions = {}): Promise<Device> => {
  const client = mqtt.connect(url, { username: push_token, password: token, reconnectPeriod: 0, ...options })
  const device = new Device(client)
  t.after(() => device.close())
  await once(client as never, 'connect')
  await client.subscribeAsync('push', { qos: 1 })
  return device
}

test('nginx passes on app_id, and says itself only what is its own to say', limit, async (t: TestContext) => {
  t.assert.equal((await call('/push/task/list')).code, 200)
  t.assert.equal((await call('/push/task/list', { headers: { app_id: 'nobody' } })).code, 40000)
  const { status, code } = await call('/metrics')
  t.assert.deepEqual([status, code], [404, 40400])
})

test('a device gets pushes through nginx, over TCP and over WebSocket', limit, async (t: TestContext) => {
  for (const url of [front.mqtt, front.webSocket]) {
    const { login, send } = await newDevice(url)
    const device = await connect(t, url, login)
    const task = await send('hello')
    t.assert.deepEqual((await device.has(1)).map(({ task_id }) => task_id), [task])
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
    (await call('/token/user', { from, headers, body: { name: `somebody ${(names += 1)}`, password: 'a wrong one' } })).code
  let code
  while ((code = await guess('127.0.0.2')) === 10020);
  t.assert.equal(code, 42900, 'this address has guessed enough')
  t.assert.equal(await guess('127.0.0.3'), 10020, 'another one has not')

  const stranger = mqtt.connect(front.webSocket, { username: 'nobody', reconnectPeriod: 0, wsOptions: { localAddress: '127.0.0.4' } })
  t.after(() => stranger.endAsync(true))
  await once(stranger as never, 'error')
  const refused = nodes.map(({ log }) => log).join('').split('\n').filter((line) => line.includes('connection refused'))
  t.assert.match(refused.at(-1)!, /"address":"127\.0\.0\.4"/)
})

test('nodes are stopped one after the other, and no call is dropped or done twice', limit, async (t: TestContext) => {
  const agent = new Agent({ keepAlive: true })
  t.after(() => agent.destroy())
  const stopped = new AbortController()
  const codes: Record<string, number> = {}
  const tasks = new Set<number>()
  const caller = async (who: number): Promise<void> => {
    for (let i = 0; !stopped.signal.aborted; i += 1) {
      const body = { audience: { alias: ['nobody'] }, message: { title: 'x' }, setting: { request_id: `${who} ${i}` } }
      const { status, code, data } = await call('/push/notify', { body, agent })
      codes[`${status} ${code}`] = (codes[`${status} ${code}`] ?? 0) + 1
      if (code === 200) tasks.add(data.task_id)
    }
  }
  const calling = Promise.all(Array.from({ length: 8 }, (_, who) => caller(who)))
  for (const node of nodes) {
    t.assert.equal((await node.stop()).code, 0)
    await node.start()
  }
  stopped.abort()
  await calling
  t.assert.deepEqual(Object.keys(codes), ['200 200'], front.log)
  t.assert.equal(tasks.size, codes['200 200'])
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
  return { port: (server.address() as { port: number }).port, taken }
}

test('a POST that may have been taken is not sent to another node; what may be repeated is', limit, async (t: TestContext) => {
  const dying = await takesAndDies(t)
  const [node] = places
  const other = await startFront([{ http: dying.port, mqtt: dying.port }, node!, node!])
  t.after(() => other.stop())
  const ask = async (method: string): Promise<number> => {
    const headers = { app_id: 'demo', 'access-token': admin, 'content-type': 'application/json' }
    const body = method === 'POST' ? JSON.stringify({ audience: { alias: ['nobody'] }, message: { title: 'x' } }) : undefined
    const answer = await fetch(`${other.http}${method === 'POST' ? '/push/notify' : '/push/task/list'}`, { method, headers, body })
    await answer.arrayBuffer()
    return answer.status
  }
  const before = (await ok('/push/task/list'))[0].task_id
  t.assert.equal(await ask('POST'), 502)
  t.assert.equal((await ok('/push/task/list'))[0].task_id, before, 'nobody else was asked')
  t.assert.equal(await ask('GET'), 200)
  t.assert.deepEqual(dying.taken.filter((method) => method === 'POST'), ['POST'])
})

test('with the lines for TLS taken in, all doors speak TLS', limit, async (t: TestContext) => {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-tls-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key]
  execFileSync('openssl', ['req', '-x509', ...newKey, '-out', cert, '-days', '2', '-subj', '/CN=localhost'], { stdio: 'ignore' })
  const secret: Front = await startFront(places, { cert, key })
  t.after(() => secret.stop())
  for (const url of [secret.mqtt, secret.webSocket]) {
    const { login, send } = await newDevice(`${url} secret`)
    const device = await connect(t, url, login, { rejectUnauthorized: false })
    const task = await send('hello')
    t.assert.deepEqual((await device.has(1)).map(({ task_id }) => task_id), [task])
  }
})
