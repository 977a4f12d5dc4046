// Once: it holds the files in deploy/ against the program, and starts one server for the health check.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { run } from './harness/command.ts'
import { Node } from './harness/node.ts'

const shell = promisify(execFile)
const root = join(import.meta.dirname, '..')
const limit = { timeout: 60_000 }

const newFolder = async (t: TestContext): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-deploy-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const filesIn = async (folder: string): Promise<string[]> => {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile() && !entry.parentPath.includes('secrets')).map((entry) => join(entry.parentPath, entry.name))
}

test('every variable named in deploy/ is a setting of the program', limit, async (t: TestContext) => {
  const { stdout } = await run(['serve', '--help'])
  const known = new Set(stdout.match(/CARILLON_\w+/g))
  for (const file of await filesIn('deploy')) {
    for (const name of (await readFile(file, 'utf8')).match(/CARILLON_\w+/g) ?? []) t.assert.ok(known.has(name), `${name} in ${file}`)
  }
})

/** The environment of a compose file's nodes, with what nobody has set left at its default. */
const environmentIn = (compose: string): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Array.from(compose.matchAll(/^ +(CARILLON_\w+): (.*)$/gm), ([, name, value]) => [name, value!.replace(/\$\{\w+:-(.*)\}/, '$1')]),
  )

test('the program takes the settings of both compose files', limit, async (t: TestContext) => {
  const folder = await newFolder(t)
  const secret = join(folder, 'password')
  await writeFile(secret, 'secret\n')
  for (const name of ['compose.yml', 'compose.cluster.yml']) {
    const env = environmentIn(await readFile(join(root, 'deploy', name), 'utf8'))
    t.assert.ok(Object.keys(env).length > 1, name)
    if (env.CARILLON_DATABASE_PASSWORD_FILE) env.CARILLON_DATABASE_PASSWORD_FILE = secret
    // All problems are told together: one that is meant, and no other.
    const { stderr } = await run(['serve', '--log-level=none'], { env: { ...env, CARILLON_DATA: folder }, fails: true })
    t.assert.match(stderr, /^carillon: --log-level must be [^\n]+\n$/, name)
  }
})

test('the image holds every package of ours that the command needs', limit, async (t: TestContext) => {
  const copied = new Set(Array.from((await readFile(join(root, 'deploy/Containerfile'), 'utf8')).matchAll(/^COPY (\w+) \1$/gm), ([, name]) => name!))
  const needed = new Set(['cli'])
  for (const name of needed) {
    const { dependencies = {} } = JSON.parse(await readFile(join(root, name, 'package.json'), 'utf8')) as { dependencies?: Record<string, string> }
    for (const other of Object.keys(dependencies)) if (other.startsWith('@carillon/')) needed.add(other.slice('@carillon/'.length))
  }
  t.assert.deepEqual([...copied].sort(), [...needed].sort())
})

test("the image's health check says whether the server answers", limit, async (t: TestContext) => {
  const node = new Node({ CARILLON_DATA: await newFolder(t) })
  t.after(() => node.kill())
  await node.start()
  const check = (env: NodeJS.ProcessEnv): Promise<number> =>
    shell(process.execPath, [join(root, 'deploy/health.js')], { env }).then(() => 0, (error: { code: number }) => error.code)
  const env = { CARILLON_HOST: '0.0.0.0', CARILLON_PORT: String(node.port) }
  t.assert.equal(await check(env), 0)
  t.assert.equal(await check({ ...env, CARILLON_TLS_CERT: 'cert.pem' }), 1, 'it does not speak TLS')
  await node.kill()
  t.assert.equal(await check(env), 1)
})

test('systemd understands the units', limit, async (t: TestContext) => {
  const folder = await newFolder(t)
  const units = (await filesIn('deploy/systemd')).filter((file) => /\.(service|target)$/.test(file))
  t.assert.equal(units.length, 3)
  for (const unit of units) {
    const here = join(folder, unit.split('/').at(-1)!)
    await writeFile(here, (await readFile(unit, 'utf8')).replace('/opt/carillon/node_modules/.bin/node', process.execPath))
    const { stderr } = await shell('systemd-analyze', ['verify', '--man=no', here])
    t.assert.equal(stderr, '', here)
  }
})

test('the page for operators names every setting', limit, async (t: TestContext) => {
  const page = await readFile(join(root, 'docs/operations.md'), 'utf8')
  const { stdout } = await run(['serve', '--help'])
  const ofVendors = /^CARILLON_VENDOR_(RATE|URL)_(?!APNS$)/ // the page names the first, and the others by their endings
  for (const name of new Set(stdout.match(/CARILLON_\w+/g))) if (!ofVendors.test(name)) t.assert.ok(page.includes(`\`${name}\``), name)
})
