import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { once } from 'node:events'
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import type { IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import { Carillon, type Login } from './harness/carillon.ts'
import { run } from './harness/command.ts'
import { connectDevice } from './harness/device.ts'

const folder = await mkdtemp(join(tmpdir(), 'carillon-tls-'))
after(() => rm(folder, { recursive: true, force: true }))

const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]

/** Writes a new certificate for this machine, signed by itself, and its key. */
const makePair = (cert: string, key: string): X509Certificate => {
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1']
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const files = ['-keyout', key, '-out', cert]
  execFileSync('openssl', ['req', '-x509', ...newKey, ...files, '-days', '2', ...subject], { stdio: 'ignore' })
  return new X509Certificate(readFileSync(cert))
}

/** One that ends with the second it begins in. */
const makeExpired = (cert: string, key: string): void => {
  makePair(cert, key)
  const input = execFileSync('openssl', ['x509', '-x509toreq', '-in', cert, '-signkey', key])
  const sign = ['x509', '-req', '-signkey', key, '-days', '0', '-out', cert]
  execFileSync('openssl', sign, { input, stdio: ['pipe', 'ignore', 'ignore'] })
}

/** The certificate's public key as openssl prints it, without the lines around it. */
const spkiOf = (certificate: X509Certificate): string => {
  const input = certificate.toString()
  const pem = execFileSync('openssl', ['x509', '-pubkey', '-noout'], { input, encoding: 'utf8' })
  return pem.replaceAll(/-----.*-----|\n/g, '')
}

const first = makePair(certFile, keyFile)
const data = await mkdtemp(join(tmpdir(), 'carillon-tls-data-'))
const env = { CARILLON_TLS_CERT: certFile, CARILLON_TLS_KEY: keyFile, CARILLON_LOG_LEVEL: 'info' }
const carillon = new Carillon(data, env)
after(() => carillon.remove())
await carillon.start()

interface Trust {
  ca: X509Certificate
  agent?: Agent
}

/** One call over HTTPS that trusts one certificate alone. */
const call = async (path: string, body: unknown, token: string, { ca, agent = new Agent() }: Trust) => {
  const headers = { app_id: 'demo', 'access-token': token, 'content-type': 'application/json' }
  const asking = request(carillon.http + path, { method: 'POST', headers, ca: ca.toString(), agent })
  asking.end(JSON.stringify(body))
  const [response] = (await once(asking, 'response')) as [IncomingMessage]
  return (await json(response)) as { code: number; data: any }
}

/** The certificate a port shows. */
const shownAt = async (port: number): Promise<string> => {
  const socket: TLSSocket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const { fingerprint256 } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint256
}

const logged = (words: string) => carillon.until(async () => carillon.nodes, (nodes) => nodes.every(({ log }) => log.includes(words)))
const everyPort = () => carillon.nodes.flatMap((node) => (node.takes.devices ? [node.port, node.mqttPort] : [node.port]))

suite('TLS on both doors', () => {
  let userId: number
  const logIn = async (device_guid: string, ca: X509Certificate): Promise<Login> =>
    (await call('/token/admin', { user_id: userId, device_guid }, carillon.admin, { ca })).data
  const notify = async ({ push_token }: Login, title: string, trust: Trust): Promise<number> => {
    const body = { audience: { push_token: [push_token] }, message: { title } }
    return (await call('/push/notify', body, carillon.admin, trust)).data.task_id
  }

  test('the ready line says https and mqtts, a call is answered, and tokens carry the key to pin', async (t) => {
    t.assert.match(carillon.nodes[0]!.printed.at(-1)!, /^carillon ready https:\/\/127\.0\.0\.1:\d+ mqtts:\/\/127\.0\.0\.1:\d+$/)
    const list = [{ username: 'ann' }]
    userId = (await call('/user/register/batch', { list }, carillon.admin, { ca: first })).data[0].user_id
    const login = await logIn('phone', first)
    t.assert.deepEqual([login.encrypt_type, login.public_key], [1, spkiOf(first)])
  })

  for (const over of ['tcp', 'ws'] as const) {
    test(`a device gets its pushes over ${over === 'tcp' ? 'mqtts' : 'wss'}`, async (t) => {
      const login = await logIn(over, first)
      const device = await connectDevice(t, carillon, login, { over, ca: first.toString() })
      const task = await notify(login, over, { ca: first })
      await device.has(1)
      t.assert.deepEqual(device.tasks, [task])
    })
  }

  test('plain HTTP on the TLS port gets no answer, and hurts nobody', async (t) => {
    await t.assert.rejects(fetch(`http://127.0.0.1:${carillon.port}/health/live`))
    t.assert.equal((await call('/push/task/detail', { list: [1] }, carillon.admin, { ca: first })).code, 200)
  })

  test('on SIGHUP a new certificate is shown while connections live on, and a bad one changes nothing', async (t) => {
    const login = await logIn('staying', first)
    const device = await connectDevice(t, carillon, login, { ca: first.toString() })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    t.after(() => agent.destroy())
    await call('/push/task/detail', { list: [1] }, carillon.admin, { ca: first, agent })

    const second = makePair(certFile, keyFile)
    carillon.signal('SIGHUP')
    await logged('the certificate was read again')
    for (const port of everyPort()) t.assert.equal(await shownAt(port), second.fingerprint256)
    t.assert.equal((await logIn('newer', second)).public_key, spkiOf(second))

    // Over the connections that were opened with the first one.
    const task = await notify(login, 'still here', { ca: first, agent })
    await device.has(1)
    t.assert.deepEqual(device.tasks, [task])

    makePair(certFile, join(folder, 'other-key.pem'))
    carillon.signal('SIGHUP')
    await logged('the old one stays')
    t.assert.match(carillon.log, /CARILLON_TLS_KEY .* is not the key of the certificate/)
    for (const port of everyPort()) t.assert.equal(await shownAt(port), second.fingerprint256)
    t.assert.equal((await logIn('newest', second)).public_key, spkiOf(second))
    t.assert.deepEqual(await carillon.stop(), { code: 0, signal: null })
  })
})

test('what is wrong with a certificate is told at start, all of it, beside what else is wrong', async (t) => {
  const at = (name: string) => join(folder, name)
  makePair(at('a.pem'), at('a.key'))
  makeExpired(at('old.pem'), at('old.key'))
  await writeFile(at('text'), 'not PEM')
  const cases: { cert?: string; key?: string; status?: string; problems: RegExp[] }[] = [
    { cert: 'a.pem', problems: [/CARILLON_TLS_KEY must be set too/] },
    { key: 'a.key', status: 'sometimes', problems: [/CARILLON_TLS_CERT must be set too/, /CARILLON_HTTP_STATUS/] },
    { cert: 'none', key: 'text', problems: [/_CERT \S+none cannot be read/, /_KEY \S+text is not .* private key/] },
    { cert: 'old.pem', key: 'a.key', problems: [/_CERT \S+ expired on/, /_KEY \S+ is not the key of the certificate/] },
  ]
  await Promise.all(cases.map(async ({ cert, key, status, problems }) => {
    const settings = {
      CARILLON_DATA: at('never'),
      CARILLON_TLS_CERT: cert && at(cert),
      CARILLON_TLS_KEY: key && at(key),
      CARILLON_HTTP_STATUS: status,
    }
    const { code, stderr, stdout } = await run(['serve'], { env: settings, fails: true })
    t.assert.deepEqual([code, stdout], [2, ''])
    for (const problem of problems) t.assert.match(stderr, problem)
    t.assert.equal(stderr.trim().split('\n').length, problems.length, stderr)
  }))
  await t.assert.rejects(access(at('never')))
})
