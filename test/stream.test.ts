import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { after, suite, test, type TestContext } from 'node:test'
import { type Login, startCarillon } from './harness/carillon.ts'
import { connectDevice } from './harness/device.ts'
import { ask, requestBytes } from './harness/raw-http.ts'
import { assertRefused } from './harness/refusal.ts'

const carillon = await startCarillon({ after })

const TAKEN_OVER = 0x8e

/** curl as a device: the lines it prints, one event after the other. */
class Curl {
  readonly #lines: AsyncIterator<string>
  readonly #child
  readonly closed: Promise<unknown>

  constructor({ push_token, token }: Pick<Login, 'push_token' | 'token'>, query = '') {
    const headers = ['app_id: demo', `push-token: ${push_token}`, `access-token: ${token}`]
    const args = ['-sN', ...headers.flatMap((header) => ['-H', header]), `${carillon.http}/push/stream${query}`]
    this.#child = spawn('curl', args, { stdio: ['ignore', 'pipe', 'inherit'] })
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]()
    this.closed = once(this.#child, 'close')
  }

  /** The next event; heart-beats are passed over. Undefined when the stream has ended. */
  async next(): Promise<Record<string, string> | undefined> {
    const event: Record<string, string> = {}
    for (;;) {
      const { value, done } = await this.#lines.next()
      if (done) return undefined
      const line = String(value)
      if (line === '' && Object.keys(event).length > 0) return event
      if (line !== '' && !line.startsWith(':')) event[line.split(': ', 1)[0]!] = line.slice(line.indexOf(': ') + 2)
    }
  }

  async task(): Promise<number> {
    return Number((await this.next())?.id)
  }

  async close(): Promise<void> {
    this.#child.kill()
    await this.closed
  }
}

const openCurl = (t: TestContext, login: Login, query?: string): Curl => {
  const curl = new Curl(login, query)
  t.after(() => curl.close())
  return curl
}

const newDevice = async (name: string): Promise<{ login: Login; send(title: string): Promise<number> }> => {
  const userId = await carillon.addUser(name)
  const login = await carillon.tokenFor(userId, `device of ${name}`)
  return { login, send: (title) => carillon.notify({ audience: { user_id: [userId] }, message: { title } }) }
}

const acknowledge = (login: Login, taskId: number) =>
  carillon.ok('/push/receipt', { token: login.token, body: { list: [{ task_id: taskId, event: 'received' }] } })

suite('curl -N is a device', { concurrency: 8 }, () => {
  test('it gets what waits, oldest first, then what comes; its receipts count as received', async (t) => {
    const { login, send } = await newDevice('curl')
    const waiting = [await send('first'), await send('second')]
    const curl = openCurl(t, login)
    const [first, second] = [await curl.next(), await curl.next()]
    t.assert.deepEqual([Number(first!.id), Number(second!.id)], waiting)
    t.assert.equal(first!.event, 'push')
    const { sent_at, ...payload } = JSON.parse(first!.data!)
    t.assert.deepEqual(payload, { task_id: waiting[0], channel: 'nativepush', type: 'text', title: 'first', badge: 1 })
    t.assert.equal(typeof sent_at, 'number')

    await carillon.online(login)
    const live = await send('third')
    t.assert.equal(await curl.task(), live)
    for (const taskId of [...waiting, live]) {
      t.assert.deepEqual(await acknowledge(login, taskId), { accepted: 1 })
      const row = await carillon.until(() => carillon.counters(taskId), (counts) => counts.nativepush_received === 1)
      t.assert.deepEqual([row.nativepush_target, row.nativepush_sent], [1, 1])
    }
    await carillon.until(() => carillon.task(live), ({ state }) => state === 'done')
  })

  test('what it did not acknowledge comes again on the next connection, whatever Last-Event-ID says', async (t) => {
    const { login, send } = await newDevice('forgetful')
    const curl = openCurl(t, login)
    await carillon.online(login)
    const [one, two] = [await send('one'), await send('two')]
    t.assert.deepEqual([await curl.task(), await curl.task()], [one, two])
    await acknowledge(login, two)
    await curl.close()

    const credentials = { app_id: 'demo', 'push-token': login.push_token, 'access-token': login.token }
    const headers = { ...credentials, 'last-event-id': String(two) }
    const aborted = new AbortController()
    t.after(() => aborted.abort())
    const response = await fetch(`${carillon.http}/push/stream`, { headers, signal: aborted.signal })
    t.assert.equal(response.headers.get('content-type'), 'text/event-stream')
    let text = ''
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk
      if (text.includes('\n\nid: ') || text.startsWith('id: ')) break
    }
    t.assert.deepEqual(text.match(/^id: \d+$/gm), [`id: ${one}`])
  })

  test('more than a window waits: acknowledgements over HTTP let the rest through', async (t) => {
    const { login, send } = await newDevice('crowded')
    const tasks: number[] = []
    for (let i = 0; i < 70; i++) tasks.push(await send(`push ${i}`))
    const curl = openCurl(t, login)
    const got: number[] = []
    while (got.length < tasks.length) {
      got.push(await curl.task())
      await acknowledge(login, got.at(-1)!)
    }
    t.assert.deepEqual(got, tasks)
  })

  test('with qos=0 nothing needs to be acknowledged', async (t) => {
    const { login, send } = await newDevice('watching')
    const curl = openCurl(t, login, '?qos=0')
    await carillon.online(login)
    const task = await send('look')
    t.assert.equal(await curl.task(), task)
    const { counters } = await carillon.until(() => carillon.task(task), ({ state }) => state === 'done')
    t.assert.deepEqual([counters.nativepush_sent, counters.nativepush_received], [1, 0])
  })

  test('MQTT takes over from a stream, and a stream from MQTT', async (t) => {
    const { login, send } = await newDevice('changing')
    const curl = openCurl(t, login)
    await carillon.online(login)
    const device = await connectDevice(t, carillon, login, { protocolVersion: 5 })
    t.assert.deepEqual(await curl.next(), { event: 'end', data: '{"reason":"taken over by a newer connection"}' })
    await curl.closed
    const again = openCurl(t, login)
    t.assert.equal(await device.closed, TAKEN_OVER)
    await carillon.online(login)
    const task = await send('to the newest')
    t.assert.equal(await again.task(), task)
    t.assert.deepEqual(device.received, [])
  })

  test('logging out ends the stream and says why', async (t) => {
    const { login } = await newDevice('leaving')
    const curl = openCurl(t, login)
    await carillon.online(login)
    await carillon.ok('/token/logout', { token: login.token, body: {} })
    t.assert.deepEqual(await curl.next(), { event: 'end', data: '{"reason":"its access token has ended"}' })
    t.assert.equal(await curl.next(), undefined)
    await curl.closed
  })

  test('what is wrong with the credentials is told by the usual codes, before anything is streamed', async (t) => {
    const { login } = await newDevice('refused')
    const { login: other } = await newDevice('somebody else')
    const open = (token?: string, pushToken?: string, more: { app?: string | null; query?: string } = {}) =>
      carillon.call(`/push/stream${more.query ?? ''}`, {
        ...(token !== undefined && { token }),
        app: more.app,
        headers: pushToken === undefined ? {} : { 'push-token': pushToken },
      })
    const { push_token, token } = login
    assertRefused(await open(token, push_token, { app: null }), 10002, 400, 'header app_id')
    assertRefused(await open(token, push_token, { app: 'nobody' }), 40000, 404)
    assertRefused(await open(undefined, push_token), 10003, 401)
    assertRefused(await open('wrong', push_token), 10008, 401)
    assertRefused(await open(token, undefined), 10002, 400, 'header push-token')
    assertRefused(await open(token, 'wrong'), 12011, 404)
    assertRefused(await open(token, other.push_token), 12011, 404)
    assertRefused(await open(carillon.admin, push_token), 10010, 403)
    assertRefused(await open(token, push_token, { query: '?qos=2' }), 10002, 400, 'qos')
    const twice = requestBytes('GET', '/push/stream', [
      ['app_id', 'demo'], ['access-token', token], ['push-token', push_token], ['push-token', other.push_token],
    ])
    assertRefused(await ask(carillon.port, twice), 10002, 400, 'header push-token')
    const head = await fetch(`${carillon.http}/push/stream`, {
      method: 'HEAD', headers: { app_id: 'demo', 'access-token': token, 'push-token': push_token },
    })
    t.assert.deepEqual([head.status, head.headers.get('content-type')], [200, 'text/event-stream'])
    const [device] = await carillon.ok('/user/device/list', { token })
    t.assert.equal(device.online, false)
  })
})

test('a server that stops says so to its streams, and ends without waiting for them', async (t) => {
  const { login } = await newDevice('last')
  const curl = openCurl(t, login)
  await carillon.online(login)
  t.assert.deepEqual(await carillon.stop(), { code: 0, signal: null })
  t.assert.deepEqual(await curl.next(), { event: 'end', data: '{"reason":"shutting down"}' })
})
