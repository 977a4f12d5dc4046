// Once: it begins on one node and ends on PostgreSQL.
import { spawn } from 'node:child_process'
import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { query, startPostgres } from '../scripts/throwaway-postgres.ts'
import { Carillon, type Login, startCarillon } from './harness/carillon.ts'
import { command, run } from './harness/command.ts'
import { connectDevice } from './harness/device.ts'
import { connectMute } from './harness/raw-socket.ts'

const postgres = await startPostgres()
after(() => postgres.stop())
const limit = { timeout: 120_000 }

/** One call of the command, and what it said. */
const migrate = async (data: string, ...args: string[]) => run(['migrate', '--data', data, ...args], { fails: true })

/** What a server says that does not start. */
const refusal = async (env: NodeJS.ProcessEnv): Promise<[code: number, line: string]> => {
  const { code, stderr } = await run(['serve'], { env: { CARILLON_PORT: '0', CARILLON_MQTT_PORT: '0', ...env }, fails: true })
  return [code, stderr]
}

const keep = async (carillon: Carillon, { store_token, access_key_secret }: Login, name: string, body: Buffer): Promise<string> => {
  const text = `PUT\n/file/${name}\n${createHash('sha256').update(body).digest('hex')}`
  const signature = createHmac('sha256', access_key_secret).update(text).digest('hex')
  const response = await fetch(`${carillon.http}/file/${name}`, { method: 'PUT', headers: { app_id: 'demo', 'store-token': store_token, signature }, body })
  return new URL(((await response.json()) as { data: { url: string } }).data.url).pathname
}

test('a move to PostgreSQL keeps everything, and everybody goes on there', limit, async (t: test.TestContext) => {
  const carillon = await startCarillon(t, { CARILLON_ACK_SECONDS: '1' })
  const { data } = carillon
  const [ann, bob] = [await carillon.addUser('ann "\\ 😀'), await carillon.addUser('bob')]
  const [phone, tablet] = [await carillon.tokenFor(ann, 'phone'), await carillon.tokenFor(bob, 'tablet')]
  await carillon.ok('/user/push/alias', { token: phone.token, body: { alias: '\u{10ffff}' } })
  await carillon.cli(['cert', 'set', '--app', 'demo', '--provider', 'xiaomi', '--name', 'mi', '--app-id', '1', '--app-key', '2', '--app-secret', 'hidden'])
  const kept = await keep(carillon, phone, 'a.png', Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(99, 7)]))
  const to = (user: number, title: string, more: object = {}) => carillon.notify({ audience: { user_id: [user] }, message: { title }, ...more })

  const device = await connectDevice(t, carillon, phone)
  const done = await to(ann, 'done')
  await device.has(1)
  await carillon.until(() => carillon.counters(done), (row) => row.nativepush_received === 1)
  await device.close()
  const mute = await connectMute(t, carillon, tablet)
  const inFlight = await to(bob, 'in flight')
  await mute.next()
  const waiting = await to(ann, 'waiting', { setting: { request_id: 'only once' } })
  const sendTime = Math.floor(Date.now() / 1000) + 3_600
  const scheduled = await to(ann, 'scheduled', { setting: { send_time: sendTime } })
  const tasks = [done, waiting, scheduled]
  const before = await Promise.all(tasks.map((id) => carillon.task(id)))
  const url = await postgres.database()
  const running = `carillon: a server, or another move, is at work on ${data}: stop it first, nothing may change while the store is moved\n`
  t.assert.equal((await migrate(data, '--to', url)).stderr, running)
  await carillon.stop('SIGKILL') // with one push handed over and not acknowledged

  const { code, stdout, stderr } = await migrate(data, '--to', url)
  t.assert.equal(code, 0, stderr)
  t.assert.match(stdout, /^devices +2 rows {2}[0-9a-f]{16} {2}the same$/m)
  t.assert.equal(stdout.match(/ the same$/gm)!.length, Number(await query(url, `SELECT count(*) FROM pg_tables WHERE schemaname = 'public'`)) - 1)
  const moved = `carillon: the store in ${data} was moved to ${url} on ${new Date().toISOString().slice(0, 10)}: ` +
    'set CARILLON_DATABASE_URL to work there; carillon migrate --undo takes that back\n'
  t.assert.deepEqual(await refusal({ CARILLON_DATA: data }), [1, moved])
  t.assert.equal((await carillon.cli(['app', 'list'], { fails: true })).stderr, moved)
  t.assert.equal((await migrate(data, '--to', url)).stderr, moved)
  t.assert.match((await carillon.cli(['doctor'], { fails: true })).stdout, /^WRONG {2}store: the store in .* was moved to /m)

  await carillon.start({ CARILLON_DATABASE_URL: url })
  t.assert.deepEqual(await Promise.all(tasks.map((id) => carillon.task(id))), before)
  t.assert.equal(await to(ann, 'waiting', { setting: { request_id: 'only once' } }), waiting)
  t.assert.equal((await carillon.ok('/push/certificate?provider=3', { token: carillon.admin })).app_id, '1')
  t.assert.equal((await fetch(carillon.http + kept)).status, 200)
  const [shown] = await carillon.ok('/user/device/list', { token: phone.token })
  t.assert.deepEqual([shown.alias, shown.push_token], ['\u{10ffff}', phone.push_token])
  t.assert.deepEqual((await (await connectDevice(t, carillon, phone)).has(1)).map(({ title }) => title), ['waiting'])
  t.assert.deepEqual((await (await connectDevice(t, carillon, tablet)).has(1)).map(({ title }) => title), ['in flight'])
  await carillon.until(() => carillon.counters(inFlight), (row) => row.nativepush_received === 1)
  t.assert.ok((await to(bob, 'new')) > scheduled)
  t.assert.ok((await carillon.addUser('cleo')) > bob)
  await carillon.ok('/push/task/cancel', { token: carillon.admin, body: { task_id: scheduled } })
  await carillon.stop()

  await t.test('and taken back, the old store is as it was', async (t: test.TestContext) => {
    const undone = await migrate(data, '--undo')
    t.assert.equal(undone.code, 0, undone.stderr)
    await carillon.start()
    t.assert.deepEqual(await Promise.all(tasks.map((id) => carillon.task(id))), before)
    await carillon.stop()
    const again = await migrate(data, '--to', url)
    t.assert.deepEqual([again.code, again.stderr], [1, 'carillon: the database holds the data of another installation (the apps demo): name an empty one\n'])
    t.assert.equal((await migrate(data, '--undo')).stderr, `carillon: the store in ${data} was not moved\n`, 'a refusal marks nothing')
  })
})

/** A data folder with an app and users, made without a server. */
const folderWith = async (t: { after(work: () => unknown): void }, users: number): Promise<string> => {
  const data = await mkdtemp(join(tmpdir(), 'carillon-migrate-'))
  t.after(() => rm(data, { recursive: true }))
  const file = join(data, 'users.ndjson')
  await writeFile(file, Array.from({ length: users }, (_, i) => `${JSON.stringify({ name: `user ${i} ${'x'.repeat(100)}` })}\n`).join(''))
  await run(['app', 'create', 'demo', '--data', data])
  await run(['user', 'import', '--app', 'demo', file, '--data', data])
  return data
}

/** Passes on so many bytes to PostgreSQL, then no more: whoever waits for its answer is stuck in the middle. */
const narrowWay = async (t: { after(work: () => unknown): void }, url: string, bytes: number): Promise<{ url: string; stuck: Promise<void> }> => {
  const stuck = Promise.withResolvers<void>()
  const relay = createServer((near) => {
    const far = connect(Number(new URL(url).port), '127.0.0.1')
    near.on('error', () => far.destroy()).on('close', () => far.destroy())
    far.on('error', () => near.destroy()).pipe(near)
    let left = bytes
    near.on('data', (chunk: Buffer) => {
      left -= chunk.length
      if (left > 0) far.write(chunk)
      else stuck.resolve()
    })
  }).listen(0, '127.0.0.1')
  t.after(() => relay.close())
  await once(relay, 'listening')
  const through = new URL(url)
  through.port = String((relay.address() as AddressInfo).port)
  return { url: through.href, stuck: stuck.promise }
}

/** Starts a move and kills it where its way to PostgreSQL ends. */
const killedAfter = async (t: { after(work: () => unknown): void }, bytes: number, data: string, url: string): Promise<void> => {
  const way = await narrowWay(t, url, bytes)
  const child = spawn(process.execPath, [command, 'migrate', '--to', way.url, '--data', data])
  await way.stuck
  child.kill('SIGKILL')
  await once(child, 'exit')
}

test('a move killed in the middle goes on when it is called again, and nobody works on either half', limit, async (t: test.TestContext) => {
  const [data, url] = [await folderWith(t, 20_000), await postgres.database()]
  await killedAfter(t, 1_000_000, data, url)
  const [code, line] = await refusal({ CARILLON_DATA: data })
  t.assert.equal(code, 1)
  t.assert.match(line, /^carillon: the store in .* is half moved to postgres:.*: carillon migrate --to … goes on with it, carillon migrate --undo takes that back\n$/)
  t.assert.match((await refusal({ CARILLON_DATA: data, CARILLON_DATABASE_URL: url }))[1], /^carillon: a store is still being moved into this database/)

  const { code: ended, stdout, stderr } = await migrate(data, '--to', url, '--json')
  t.assert.equal(ended, 0, stderr)
  const { moved, tables } = JSON.parse(stdout) as { moved: boolean; tables: { table: string; target: { rows: number }; same: boolean }[] }
  t.assert.deepEqual([moved, tables.every(({ same }) => same)], [true, true])
  t.assert.equal(tables.find(({ table }) => table === 'users')!.target.rows, 20_000)
  t.assert.equal(JSON.parse((await run(['app', 'list', '--data', data, '--database-url', url, '--json'])).stdout)[0].app_id, 'demo')
})

test('a difference is told table by table, and no node starts on it', limit, async (t: test.TestContext) => {
  const [data, url] = [await folderWith(t, 1), await postgres.database()]
  await killedAfter(t, 20_000, data, url)
  await query(url, `INSERT INTO users (app, name, created_at) VALUES (1, 'somebody else', 1)`)
  const { code, stdout, stderr } = await migrate(data, '--to', url)
  t.assert.equal(code, 1)
  t.assert.match(stdout, /^users +1 rows {2}[0-9a-f]{16} {2}DIFFERENT: \d rows, [0-9a-f]{16} there$/m)
  t.assert.equal(stderr.split('\n').at(-2), 'carillon: users differ: somebody else wrote to the database. Empty it, and call this again')
  t.assert.match((await refusal({ CARILLON_DATA: data, CARILLON_DATABASE_URL: url }))[1], /still being moved/)
})

test('a move that cannot begin says why, and changes nothing', limit, async (t: test.TestContext) => {
  const [data, url] = [await folderWith(t, 1), await postgres.database()]
  const said = async (...args: string[]): Promise<[code: number, line: string]> => {
    const { code, stderr } = await run(['migrate', '--data', data, ...args], { fails: true })
    return [code, stderr]
  }
  t.assert.deepEqual(await said(), [2, 'carillon: --to is required\n'])
  t.assert.deepEqual(await said('--to', url, '--undo'), [2, 'carillon: --undo takes back a move, wherever it went: leave --to out\n'])
  t.assert.deepEqual(await said('--to', 'mysql://x'), [2, 'carillon: --to must be a URL such as postgres://user:password@host:5432/carillon\n'])
  const [code, line] = await said('--to', 'postgres://127.0.0.1:1/x')
  t.assert.deepEqual([code, line.startsWith('carillon: no connection to PostgreSQL: ')], [1, true], line)
  await writeFile(join(data, 'key'), `${Buffer.alloc(32, 1).toString('base64')}\n`)
  t.assert.deepEqual(await said('--to', url), [2, 'carillon: the key does not open this store: it was sealed with another one\n'])
  await rm(join(data, 'carillon.sqlite'))
  t.assert.deepEqual(await said('--to', url), [1, `carillon: there is no store in ${data}\n`])
  t.assert.equal(await query(url, `SELECT count(*) FROM pg_tables WHERE schemaname = 'public'`), '0\n')
  await t.assert.rejects(readFile(join(data, 'moved.json')))
})
