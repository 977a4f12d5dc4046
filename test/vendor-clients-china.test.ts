// Once: clients that others wrote talk to the simulators; no server takes part.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { globalAgent } from 'node:https'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { startSimulators } from '@carillon/simulators/simulators.ts'

/** Clients that others wrote, unchanged, against the simulators; which ones exist is told in docs/vendors.md. */

const require = createRequire(import.meta.url)
const account = { appSecret: 'c2VjcmV0LWZvci10ZXN0cw==', packageName: 'com.example.app' }

/** A certificate for 127.0.0.1, trusted by this process alone. */
const trustedTls = (t: TestContext) => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', keyFile]
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
  execFileSync('openssl', ['req', '-x509', ...newKey, '-out', certFile, ...subject], { stdio: 'ignore' })
  const tls = { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') }
  globalAgent.options.ca = tls.cert
  t.after(() => {
    delete globalAgent.options.ca
    globalAgent.destroy()
  })
  return tls
}

/** xiaomipush speaks https only, and keeps its host, package and secret in one place. */
const startXiaomi = async (t: TestContext, secret: string) => {
  const simulators = await startSimulators({ tls: trustedTls(t), accounts: { xiaomi: [account] } })
  t.after(() => simulators.close())
  const constants = require('xiaomipush/Constants.js')
  constants.domain = simulators.urls.xiaomi
  constants.setPackage(account.packageName)
  constants.setSecret(secret)
  const Builder = require('xiaomipush/Builder.js')
  const message = new Builder()
  message.Title('你好')
  message.Description('a b&c=d')
  message.Payload('{"task":"42"}')
  message.NotifyId(7)
  message.Build()
  const Sender = require('xiaomipush/Sender.js')
  const send = async (ids: string[]) => (await new Sender().sendToIds(message, ids, 0)).data
  return { simulators, send }
}

test('xiaomipush reaches phones through the Xiaomi simulator and is told which are gone', async (t) => {
  const { simulators, send } = await startXiaomi(t, account.appSecret)
  const answer = await send(['Ab+/cd==', 'dead+/1==', 'Ef+/gh=='])
  t.assert.deepEqual([answer.result, answer.code, answer.data.bad_regids], ['ok', 0, 'dead+/1=='])
  const [push] = simulators.received('xiaomi')
  t.assert.deepEqual(push!.taken, ['Ab+/cd==', 'Ef+/gh=='])
  const { title, description, payload, notify_id } = push!.fields as Record<string, string>
  t.assert.deepEqual([title, description, payload, notify_id], ['你好', 'a b&c=d', '{"task":"42"}', '7'])
})

test('xiaomipush understands the refusals of the Xiaomi simulator', async (t) => {
  const { simulators, send } = await startXiaomi(t, account.appSecret)
  t.assert.deepEqual((await send(['dead1'])).reason, 'No valid targets!')
  simulators.order({ vendor: 'xiaomi', token: 'a', outcome: '200002' })
  t.assert.equal((await send(['a'])).code, 200002)
})

test('xiaomipush with another secret is turned away', async (t) => {
  const { send } = await startXiaomi(t, 'wrong')
  t.assert.equal((await send(['a'])).code, 21301)
})
