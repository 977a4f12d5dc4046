// Once: a backup is a copy of the SQLite file, and doctor looks into that file.
import { chmod, copyFile, mkdtemp, open, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test, { after } from 'node:test'
import { Carillon, startCarillon } from './harness/carillon.ts'
import { run } from './harness/command.ts'

const carillon = await startCarillon({ after })

const newFolder = async (t: { after(work: () => unknown): void }): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-restored-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

interface Finding {
  name: string
  state: string
  text: string
  hint?: string
}

const examine = async (env: NodeJS.ProcessEnv, args: string[] = []): Promise<{ code: number; ok: boolean; findings: Finding[] }> => {
  const { code, stdout } = await run(['doctor', '--json', ...args], { env, fails: true })
  return { code, ...JSON.parse(stdout) }
}

const wrong = ({ findings }: { findings: Finding[] }): string[] => findings.filter(({ state }) => state === 'wrong').map(({ name }) => name)

test('a backup made while the server writes is restored into a new folder, and everybody is still known there', async (t: test.TestContext) => {
  const user = await carillon.addUser('ann')
  const login = await carillon.tokenFor(user, 'phone of ann')
  await carillon.ok('/user/push/alias', { token: login.token, body: { alias: 'the one' } })
  const before = await carillon.notify({ audience: { user_id: [user] }, message: { title: 'before' } })
  const place = await newFolder(t)
  const file = join(place, 'copy.sqlite')

  let copying = true
  let last = 0
  const writing = (async () => {
    while (copying) last = await carillon.notify({ audience: { user_id: [user] }, message: { title: 'meanwhile' } })
  })()
  const { stdout } = await carillon.cli(['backup', file])
  copying = false
  await writing
  t.assert.ok(last > before)
  t.assert.match(stdout, /MiB, checked\nThe key is not in it\./)
  const key = (await readFile(join(carillon.data, 'key'), 'utf8')).trim()
  t.assert.ok(!(await readFile(file)).includes(key))

  const again = await carillon.cli(['backup', file], { fails: true })
  t.assert.deepEqual([again.code, again.stderr], [1, `carillon: ${file} is there already; --force overwrites it\n`])
  const forced = JSON.parse((await carillon.cli(['backup', file, '--force', '--json'])).stdout)
  t.assert.deepEqual([forced.bytes, forced.includes_key], [(await stat(file)).size, false])

  const data = await newFolder(t)
  await copyFile(file, join(data, 'carillon.sqlite'))
  await copyFile(join(carillon.data, 'key'), join(data, 'key'))
  const restored = new Carillon(data, {})
  t.after(() => restored.stop('SIGKILL'))
  await restored.start()
  const [device] = await restored.ok('/user/device/list', { token: login.token })
  t.assert.deepEqual([device.alias, device.push_token], ['the one', login.push_token])
  t.assert.equal((await restored.task(before, { token: carillon.admin })).task_id, before)
  t.assert.ok((await restored.notify({ audience: 'all', message: { title: 'after' } }, { token: carillon.admin })) > before)
})

test('a backup that cannot be made says why and leaves nothing', async (t: test.TestContext) => {
  const place = await newFolder(t)
  const nowhere = await run(['backup', join(place, 'x.sqlite')], { env: { CARILLON_DATA: join(place, 'nowhere') }, fails: true })
  t.assert.deepEqual([nowhere.code, nowhere.stderr], [1, `carillon: there is no store in ${join(place, 'nowhere')}\n`])
  t.assert.equal((await carillon.cli(['backup', join(place, 'no folder', 'x')], { fails: true })).code, 1)
  t.assert.equal((await carillon.cli(['backup', join(carillon.data, 'carillon.sqlite'), '--force'], { fails: true })).code, 1)

  const damaged = await newFolder(t)
  await carillon.cli(['backup', join(damaged, 'carillon.sqlite')])
  // A page that a copy takes along as it is, and that only a look at every page finds.
  const db = new DatabaseSync(join(damaged, 'carillon.sqlite'))
  const { rootpage } = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'users_name'").get() as { rootpage: number }
  db.close()
  const file = await open(join(damaged, 'carillon.sqlite'), 'r+')
  await file.write(Buffer.alloc(2_000, 0x5a), 0, 2_000, (rootpage - 1) * 4_096)
  await file.close()
  const copy = await run(['backup', join(place, 'copy.sqlite')], { env: { CARILLON_DATA: damaged }, fails: true })
  t.assert.equal(copy.code, 1)
  t.assert.match(copy.stderr, /^carillon: the copy is damaged: /)
  await t.assert.rejects(stat(join(place, 'copy.sqlite')))
  t.assert.ok(wrong(await examine({ CARILLON_DATA: damaged })).includes('store'))
})

test('doctor finds nothing wrong beside a running server', async (t: test.TestContext) => {
  const { code, ok, findings } = await examine({ CARILLON_DATA: carillon.data }, ['--url', carillon.http])
  t.assert.deepEqual([code, ok], [0, true], JSON.stringify(findings))
  t.assert.equal(findings.find(({ name }) => name === 'server')!.text, `ready at ${carillon.http}`)
  const { stdout } = await run(['doctor', '--url', carillon.http], { env: { CARILLON_DATA: carillon.data } })
  t.assert.match(stdout, /^ok {5}key: opens the store$/m)
})

test('doctor says what is wrong, and what to do about it, without changing anything', async (t: test.TestContext) => {
  const data = await newFolder(t)
  await carillon.cli(['backup', join(data, 'carillon.sqlite')])
  t.assert.deepEqual(wrong(await examine({ CARILLON_DATA: data })), ['key file', 'key'], 'no key')

  await writeFile(join(data, 'key'), `${Buffer.alloc(32, 1).toString('base64')}\n`, { mode: 0o600 })
  const other = await examine({ CARILLON_DATA: data })
  t.assert.deepEqual([other.code, wrong(other)], [1, ['key']], 'the key of another store')
  t.assert.ok(other.findings.every(({ state, hint }) => state === 'ok' || hint))

  await copyFile(join(carillon.data, 'key'), join(data, 'key'))
  await chmod(join(data, 'key'), 0o644)
  t.assert.deepEqual(wrong(await examine({ CARILLON_DATA: data })), ['key file'], 'open to everybody')
  await chmod(join(data, 'key'), 0o600)
  const fine = await examine({ CARILLON_DATA: data })
  t.assert.deepEqual([fine.code, wrong(fine)], [0, []])
  t.assert.equal(fine.findings.find(({ name }) => name === 'server')!.text, 'none runs on this folder')

  t.assert.deepEqual(wrong(await examine({ CARILLON_DATA: carillon.data }, ['--url', 'http://127.0.0.1:9'])), ['server'], 'it runs and does not answer there')
  t.assert.deepEqual(wrong(await examine({ CARILLON_DATA: data, CARILLON_PORT: 'many', CARILLON_HTTP_STATUS: 'none' })), ['settings', 'settings'])
  const misspelt = await examine({ CARILLON_DATA: data, CARILLON_PROT: '1' })
  t.assert.match(misspelt.findings[0]!.text, /CARILLON_PROT is not a setting/)
  const nowhere = join(data, 'nowhere')
  t.assert.deepEqual(wrong(await examine({ CARILLON_DATA: nowhere })), ['data folder'])
  await t.assert.rejects(stat(nowhere))
})
