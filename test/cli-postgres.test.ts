// Once: it starts nodes of its own on a PostgreSQL, and stops them.
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { newInstallation, startServers } from '../scripts/shared-servers.ts'
import { query } from '../scripts/throwaway-postgres.ts'
import { run } from './harness/command.ts'
import { Node } from './harness/node.ts'

const servers = await startServers()
after(() => servers.stop())
const limit = { timeout: 60_000 }

interface Finding {
  name: string
  state: string
  text: string
  hint?: string
}

/** A database and a data folder of its own, with the command on both. */
const newStore = async (t: TestContext) => {
  const data = await mkdtemp(join(tmpdir(), 'carillon-test-'))
  t.after(() => rm(data, { recursive: true, force: true }))
  const { CARILLON_DATABASE_URL: url, ...bus } = await newInstallation(servers.env)
  const env = { CARILLON_DATA: data, CARILLON_DATABASE_URL: url, ...bus }
  const cli = (args: string[], options: { input?: string; fails?: boolean; env?: NodeJS.ProcessEnv } = {}) =>
    run(args, { ...options, env: { ...env, ...options.env } })
  const doctor = async (args: string[] = [], more: NodeJS.ProcessEnv = {}): Promise<{ code: number; findings: Finding[] }> => {
    const { code, stdout } = await cli(['doctor', '--json', ...args], { fails: true, env: more })
    return { code, ...JSON.parse(stdout) }
  }
  const start = async (more: NodeJS.ProcessEnv = {}): Promise<Node> => {
    const node = new Node({ ...env, ...more })
    t.after(() => node.kill())
    return node.start()
  }
  return { data, url: url!, cli, doctor, start }
}

const called = ({ findings }: { findings: Finding[] }, state: string): string[] =>
  findings.filter((finding) => finding.state === state).map(({ name, text }) => `${name}: ${text}`)

/** The throw-away server keeps nothing over a power cut, and doctor says so. */
const unsafe = ['database: fsync is off', 'database: full_page_writes is off']

const ask = async (node: Node, path: string, token: string, body?: unknown) => {
  const headers = { app_id: 'shop', 'access-token': token, 'content-type': 'application/json' }
  const answer = await fetch(node.http + path, { method: body === undefined ? 'GET' : 'POST', headers, body: JSON.stringify(body) })
  return (await answer.json()) as { code: number; data: any }
}

test('every command works on PostgreSQL, and running nodes follow', limit, async (t: TestContext) => {
  const { data, url, cli, start } = await newStore(t)
  const node = await start()
  const out = async (args: string[], input?: string): Promise<string> => (await cli(args, { input })).stdout.trim()
  t.assert.equal(await out(['app', 'create', 'shop', '--name', 'Shop']), 'shop')
  t.assert.match(await out(['app', 'list']), /^shop\tShop\tpush on$/m)
  const token = await out(['token', 'create', '--app', 'shop', '--name', 'ci'])
  const ann = await out(['user', 'create', '--app', 'shop', '--name', 'ann'])
  await out(['user', 'import', '--app', 'shop', '-'], '{"name":"bob"}\n{"name":"eve"}\n')
  await out(['device', 'import', '--app', 'shop', '-'], '{"name":"bob","device_guid":"phone","platform":"android","tokens":[{"provider":3,"token":"made-up"}]}\n')
  await out(['cert', 'set', '--app', 'shop', '--provider', 'xiaomi', '--name', 'com.example.app', '--app-secret', 'bWFkZS11cA=='])
  const { data: login } = await ask(node, '/token/admin', token, { user_id: Number(ann), device_guid: 'laptop' })
  const sent = await out(['notify', '--app', 'shop', '--token', token, '--user', ann, '--title', 'Hello', '--url', node.http, '--json'])
  const task = String(JSON.parse(sent).task_id)
  t.assert.match(await out(['task', 'shop', task]), /nativepush/)
  t.assert.match(await out(['trace', 'shop', task, login.push_token]), /inbox|wait/)

  // The same by a flag, from a machine that has the key alone.
  const elsewhere = await run(['token', 'list', '--app', 'shop', '--database-url', url, '--key-file', join(data, 'key')], { env: { CARILLON_DATA: join(data, 'elsewhere') } })
  t.assert.match(elsewhere.stdout, /^1?\d\tci\t/m)
  await out(['app', 'set', 'shop', 'push_enabled', 'false'])
  const off = async () => (await ask(node, '/push/notify', token, { audience: 'all', message: { title: 'x' } })).code
  while ((await off()) !== 12006) await wait(20)
  await out(['token', 'revoke', /^(\d+)\tci/m.exec(elsewhere.stdout)![1]!, '--app', 'shop'])
  while ((await off()) !== 10008) await wait(20)
})

test('backup says in one line how PostgreSQL is copied, and keeps the password to itself', limit, async (t: TestContext) => {
  const { data, cli } = await newStore(t)
  const CARILLON_DATABASE_URL = 'postgres://ann:secret@db/carillon'
  const { code, stderr } = await cli(['backup', 'copy'], { fails: true, env: { CARILLON_DATABASE_URL } })
  const how = `pg_dump --format=custom --file='copy' 'postgres://ann@db/carillon' (and keep ${join(data, 'key')} apart)`
  t.assert.deepEqual([code, stderr], [1, `carillon: the store is PostgreSQL, which copies itself: ${how}\n`])
})

test('doctor finds nothing wrong beside nodes that are well, and says which they are', limit, async (t: TestContext) => {
  const { doctor, start } = await newStore(t)
  const nodes = [await start({ CARILLON_PARTS: 'http,worker' }), await start({ CARILLON_PARTS: 'gateway' })]
  const { code, findings } = await doctor(['--url', nodes[0]!.http], { CARILLON_DATABASE_CONNECTIONS: '9' })
  t.assert.deepEqual([code, called({ findings }, 'wrong'), called({ findings }, 'warn')], [0, [], unsafe])
  const said = called({ findings }, 'ok').join('\n')
  const port = (node: Node): string => `127\\.0\\.0\\.1:${node.port}`
  t.assert.match(said, new RegExp(`^nodes: 2 alive: 1 \\(http, worker at ${port(nodes[0]!)}\\), 2 \\(gateway at ${port(nodes[1]!)}\\)$`, 'm'))
  t.assert.match(said, /^connections: 2 × 9 for nodes and \d+ that others use now, of \d+$/m)
  for (const line of ['clock: agrees with the database', 'key: opens the store', 'tasks: none is late', `server: ready at ${nodes[0]!.http}`]) {
    t.assert.ok(said.includes(line), line)
  }
  t.assert.match(said, /^NATS: 127\.0\.0\.1:\d+ answers$/m)
})

test('doctor says what is wrong with nodes, and what waits for them', limit, async (t: TestContext) => {
  const { url, doctor, start } = await newStore(t)
  const node = await start({ CARILLON_PARTS: 'http,gateway' })
  t.assert.deepEqual(called(await doctor(), 'wrong'), ['nodes: none does the part worker'])
  await query(url, `INSERT INTO tasks (app, scope_kind, scope_id, state, accepted_at, plan_at, expires_at) VALUES (1, 'app', 0, 'accepted', 1, 1, 2)`)
  t.assert.ok(called(await doctor(), 'warn').includes('tasks: 1 should have gone on before 1970-01-01T00:00:00.001Z'))

  await node.kill()
  let found = await doctor()
  while (!called(found, 'warn').some((text) => text.startsWith('nodes: none is alive'))) found = await doctor()
  t.assert.match(called(found, 'warn').join('\n'), new RegExp(`^nodes: node 1 \\(http, gateway at 127\\.0\\.0\\.1:${node.port}\\) is silent for \\d+ s$`, 'm'))
  t.assert.ok(found.findings.every(({ state, hint }) => state === 'ok' || hint))
})

test('doctor says what is wrong with PostgreSQL, NATS and the key, without changing anything', limit, async (t: TestContext) => {
  const { data, url, cli, doctor } = await newStore(t)
  const tables = () => query(url, `SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace`)
  const empty = await doctor()
  t.assert.ok(called(empty, 'ok').includes('store: none yet; the first start makes it'))
  t.assert.deepEqual([empty.code, (await tables()).trim(), await readdir(data)], [0, '0', []])

  await cli(['app', 'create', 'shop'])
  t.assert.match(called(await doctor(['--database-connections', '500']), 'wrong').join(), /^connections: 1 × 500 for nodes/)
  t.assert.match(called(await doctor(['--nats-url', 'nats://127.0.0.1:1']), 'warn').join(), /NATS: 127\.0\.0\.1:1: .*ECONNREFUSED/)
  const nobody = await doctor(['--database-url', 'postgres://ann:secret@127.0.0.1:1/none'])
  t.assert.match(called(nobody, 'wrong').join(), /^database: no connection to PostgreSQL: .*ECONNREFUSED/)
  t.assert.deepEqual([nobody.code, JSON.stringify(nobody).includes('secret')], [1, false])

  await writeFile(join(data, 'other'), `${Buffer.alloc(32, 1).toString('base64')}\n`, { mode: 0o600 })
  t.assert.match(called(await doctor(['--key-file', join(data, 'other')]), 'wrong').join(), /^key: the key does not open this store/)
  await query(url, 'UPDATE schema_version SET version = 1000')
  t.assert.match(called(await doctor(), 'wrong').join(), /^schema: version 1000 was made by a newer Carillon/)
})
