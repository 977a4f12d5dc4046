import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after, before, suite } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { generate } from 'openapi-typescript-codegen'
import { startCarillon } from './harness/carillon.ts'

const carillon = await startCarillon({ after })
const tsc = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url))
const run = promisify(execFile)
let folder: string

/** What somebody would write with the generated client, in their editor, with its types. */
const caller = `
import { ApiError, OpenAPI, PushService, TasksService, TokensService } from './client'

const main = async (base: string, userId: number): Promise<void> => {
  OpenAPI.BASE = base
  const appId = 'demo'
  const login = await TokensService.postTokenId({
    appId,
    requestBody: { user_id: userId, password: 'correct horse battery', device_guid: 'generated' },
  })
  const token: string = login.data.token
  const pushToken: string | undefined = login.data.push_token
  OpenAPI.HEADERS = { 'access-token': token }
  const sent = await PushService.postPushNotify({
    appId,
    requestBody: { audience: { push_token: [pushToken!] }, message: { title: 'Generated', ios: { sound: 'ding' } } },
  })
  const statistics = await TasksService.postPushTaskDetail({ appId, requestBody: { list: [sent.data.task_id] } })
  const target: number | undefined = statistics.data[0]?.nativepush_target
  const refused: ApiError = await PushService.postPushNotify({
    appId,
    requestBody: { audience: { tag: [] }, message: { title: 'Nobody' } },
  }).then(() => { throw new Error('it was taken') }, (error) => error)
  console.log(JSON.stringify({ user: login.data.user_id, task: sent.data.task_id, target, status: refused.status, body: refused.body }))
}

void main(process.argv[2]!, Number(process.argv[3]))
`

/** Strict, as a careful reader of generated code would have it; the client and what is written with it together. */
const settings = {
  compilerOptions: {
    strict: true,
    noUncheckedIndexedAccess: true,
    target: 'es2022',
    module: 'commonjs',
    moduleResolution: 'bundler',
    lib: ['es2022', 'dom'],
    types: ['node'],
    typeRoots: [fileURLToPath(new URL('../node_modules/@types', import.meta.url))],
    rootDir: '.',
    outDir: 'built',
  },
  files: ['caller.ts'],
}

suite('a client that a public generator makes from the description', () => {
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'carillon-client-'))
    const input = await (await fetch(`${carillon.http}/openapi.json`)).json()
    await generate({ input: input as object, output: join(folder, 'client'), useOptions: true, useUnionTypes: true })
    await writeFile(join(folder, 'caller.ts'), caller)
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings))
    // Its own: a package.json further up must not decide what kind of module the built files are.
    await writeFile(join(folder, 'package.json'), '{}')
  })
  after(() => rm(folder, { recursive: true, force: true }))

  test('passes the compiler, logs in, notifies, reads statistics and is told what is wrong', async (t) => {
    await run(process.execPath, [tsc, '-p', folder]).catch(({ stdout }) => t.assert.fail(stdout))
    const list = [{ username: 'generated', password: 'correct horse battery' }]
    const [{ user_id }] = await carillon.ok('/user/register/batch', { token: carillon.admin, body: { list } })
    const { stdout } = await run(process.execPath, [join(folder, 'built/caller.js'), carillon.http, String(user_id)])
    const { task, ...found } = JSON.parse(stdout)
    t.assert.deepEqual(found, {
      user: user_id,
      target: 1,
      status: 400,
      body: { code: 10002, data: null, message: found.body.message },
    })
    t.assert.match(found.body.message, /^audience /)
    t.assert.equal((await carillon.task(task)).state, 'done')
  })
})
