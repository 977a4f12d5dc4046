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
import { Carillon, type Login, run } from './harness/carillon.ts'
import { connectDevice } from './harness/device.ts'

const folder = await mkdtemp(join(tmpdir(), 'carillon-tls-'))
after(() => rm(folder, { recursive: true, force: true }))

const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]

/** Writes a new certificate for this machine, signed by itself, and its key. */
const makePair = (cert: string, key: string): X509Certificate => {
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1']
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  execFileSync('openssl', ['req', '-x509', ...newKey, '-keyout', key, '-out', cert, '-days', '2', ...subject], { stdio: 'ignore' })
  return new X509Certificate(readFileSync(cert))
}

/** One that ends with the second it begins in. */
const makeExpired = (cert: string, key: string): void => {
  makePair(cert, key)
  const request = execFileSync('openssl', ['x509', '-x509toreq', '-in', cert, '-signkey', key])
  execFileSync('openssl', ['x509', '-req', '-signkey', key, '-days', '0', '-out', cert], { input: request, stdio: ['pipe', 'ignore', 'ignore'] })
}

const tlsEnv = { CARILLON_TLS_CERT: certFile, CARILLON_TLS_KEY: keyFile }
/** The certificate's public key as openssl prints it, without the lines around it. */
const spkiOf = (certificate: X509Certificate): string =>
  execFileSync('openssl', ['x509', '-pubkey', '-noout'], { input: certificate.toString(), encoding: 'utf8' }).replaceAll(/-----.*-----|\n/g, '')

const first = makePair(certFile, keyFile)
const carillon = new Carillon(await mkdtemp(join(tmpdir(), 'carillon-tls-data-')), { ...tlsEnv, CARILLON_LOG_LEVEL: 'info' })
after(async () => {
  await carillon.stop('SIGKILL')
  await rm(carillon.data, { recursive: true, force: true })
})
await carillon.start()

/** One call over HTTPS that trusts one certificate alone. */
const call = async (path: string, body: unknown, token: string, { ca, agent = new Agent() }: { ca: X509Certificate; agent?: Agent }) => {
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

const logged = (words: string) => carillon.until(async () => carillon.log, (log) => log.includes(words))

suite('TLS on both doors', () => {
  let userId: number
  const logIn = async (device_guid: string, ca: X509Certificate): Promise<Login> =>
    (await call('/token/admin', { user_id: userId, device_guid }, carillon.admin, { ca })).data
  const notify = async ({ push_token }: Login, title: string, trust: { ca: X509Certificate; agent?: Agent }): Promise<number> =>
    (await call('/push/notify', { audience: { push_token: [push_token] }, message: { title } }, carillon.admin, trust)).data.task_id

  test('the ready line says https and mqtts, a call is answered, and tokens carry the key to pin', async (t) => {
    t.assert.match(carillon.printed.at(-1)!, /^carillon ready https:\/\/127\.0\.0\.1:\d+ mqtts:\/\/127\.0\.0\.1:\d+$/)
    const registered = await call('/user/register/batch', { list: [{ username: 'ann' }] }, carillon.admin, { ca: first })
    userId = registered.data[0].user_id
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

  test('SIGHUP: both doors show the new certificate, tokens its key, and open connections live on; a bad pair changes nothing', async (t) => {
    const login = await logIn('staying', first)
    const device = await connectDevice(t, carillon, login, { ca: first.toString() })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    t.after(() => agent.destroy())
    await call('/push/task/detail', { list: [1] }, carillon.admin, { ca: first, agent })

    const second = makePair(certFile, keyFile)
    process.kill(carillon.pid, 'SIGHUP')
    await logged('the certificate was read again')
    t.assert.deepEqual([await shownAt(carillon.port), await shownAt(carillon.mqttPort)], [second.fingerprint256, second.fingerprint256])
    t.assert.equal((await logIn('newer', second)).public_key, spkiOf(second))

    // Over the connections that were opened with the first one.
    const task = await notify(login, 'still here', { ca: first, agent })
    await device.has(1)
    t.assert.deepEqual(device.tasks, [task])

    makePair(certFile, join(folder, 'other-key.pem'))
    process.kill(carillon.pid, 'SIGHUP')
    await logged('the old one stays')
    t.assert.match(carillon.log, /CARILLON_TLS_KEY .* is not the key of the certificate/)
    t.assert.deepEqual([await shownAt(carillon.port), await shownAt(carillon.mqttPort)], [second.fingerprint256, second.fingerprint256])
    t.assert.equal((await logIn('newest', second)).public_key, spkiOf(second))
    t.assert.deepEqual(await carillon.stop(), { code: 0, signal: null })
  })
})

const refusedStart = (env: NodeJS.ProcessEnv) =>
  run(['serve'], { env: { CARILLON_DATA: join(folder, 'never'), CARILLON_PORT: '0', CARILLON_MQTT_PORT: '0', ...env }, fails: true })

test('a certificate that cannot be served is told at start, all of it, beside what else is wrong', { concurrency: true }, async (t) => {
  const at = (name: string) => join(folder, name)
  makePair(at('a.pem'), at('a.key'))
  makeExpired(at('old.pem'), at('old.key'))
  await writeFile(at('text'), 'not PEM')
  const cases: [env: NodeJS.ProcessEnv, problems: RegExp[]][] = [
    [{ CARILLON_TLS_CERT: at('a.pem') }, [/CARILLON_TLS_KEY must be set too/]],
    [{ CARILLON_TLS_KEY: at('a.key'), CARILLON_HTTP_STATUS: 'sometimes' }, [/CARILLON_TLS_CERT must be set too/, /CARILLON_HTTP_STATUS/]],
    [{ CARILLON_TLS_CERT: at('none'), CARILLON_TLS_KEY: at('text') }, [/CARILLON_TLS_CERT \S+none cannot be read/, /CARILLON_TLS_KEY \S+text is not an unencrypted private key/]],
    [{ CARILLON_TLS_CERT: at('old.pem'), CARILLON_TLS_KEY: at('a.key') }, [/CARILLON_TLS_CERT \S+ expired on/, /CARILLON_TLS_KEY \S+ is not the key of the certificate/]],
  ]
  await Promise.all(cases.map(async ([env, problems]) => {
    const { code, stderr, stdout } = await refusedStart(env)
    t.assert.deepEqual([code, stdout], [2, ''])
    for (const problem of problems) t.assert.match(stderr, problem)
    t.assert.equal(stderr.trim().split('\n').length, problems.length, stderr)
  }))
  await t.assert.rejects(access(at('never')))
})
