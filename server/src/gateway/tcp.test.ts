import { generateKeyPairSync, sign } from 'node:crypto'
import { once, type EventEmitter } from 'node:events'
import { connect } from 'node:net'
import test from 'node:test'
import { createSecureContext, type SecureContext } from 'node:tls'
import mqtt from 'mqtt'
import { pushOf, RawDevice, startGateway, targetOf } from './gateway.fixture.ts'

const der = (tag: number, ...parts: Buffer[]): Buffer => {
  const content = Buffer.concat(parts)
  const { length } = content
  const head = length < 0x80 ? [tag, length] : [tag, 0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from(head), content])
}

/** A certificate for localhost, signed by itself, valid for this century. */
const makeCertificate = (name: string): { context: SecureContext; cert: string } => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ecdsaWithSha256 = der(0x30, Buffer.from('06082a8648ce3d040302', 'hex'))
  const commonName = der(0x30, der(0x31, der(0x30, Buffer.from('0603550403', 'hex'), der(0x0c, Buffer.from(name)))))
  const validity = der(0x30, der(0x17, Buffer.from('200101000000Z')), der(0x18, Buffer.from('20991231235959Z')))
  const body = der(
    0x30,
    der(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    commonName,
    validity,
    commonName,
    publicKey.export({ type: 'spki', format: 'der' }),
  )
  const signature = der(0x03, Buffer.from([0]), sign('sha256', body, privateKey))
  const text = der(0x30, body, ecdsaWithSha256, signature).toString('base64')
  const cert = `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`
  return { context: createSecureContext({ cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }) }), cert }
}

test('over TLS a device gets its pushes, and a renewed certificate counts from the next connection on', async (t) => {
  const first = makeCertificate('first')
  const second = makeCertificate('second')
  let current = first
  const house = await startGateway(t, { secureContext: () => current.context })
  for (const [deviceId, certificate] of [[1, first], [2, second]] as const) {
    current = certificate
    const trust = { ca: certificate.cert, checkServerIdentity: () => undefined }
    const client = mqtt.connect(`mqtts://127.0.0.1:${house.port}`, {
      ...trust,
      username: `push-${deviceId}`,
      password: `access-${deviceId}`,
      reconnectPeriod: 0,
    })
    t.after(() => client.end(true))
    const message = once(client as unknown as EventEmitter, 'message')
    await client.subscribeAsync('push', { qos: 1 })
    await client.publishAsync('receipt', '{"task_id":1}', { qos: 1 })
    t.assert.deepEqual(house.gateway.sessions.hand(pushOf(1), 1, [targetOf(deviceId)]), [{ kind: 'written' }])
    await message
    t.assert.equal((await house.ports.acknowledged.next()).push.taskId, 1)
  }
})

test('over TLS a handshake that fails or never comes ends as any other greeting', async (t) => {
  const { context } = makeCertificate('localhost')
  const house = await startGateway(t, { secureContext: () => context, greetingsPerAddress: 2 })
  const plain = new RawDevice(house.port)
  plain.send(plain.connectPacket(1))
  await plain.closed
  const silent = connect(house.port, '127.0.0.1').resume()
  const other = connect(house.port, '127.0.0.1').resume()
  await Promise.all([once(silent, 'connect'), once(other, 'connect')])
  await once(connect(house.port, '127.0.0.1').resume(), 'close') // the third one: both places are taken
  for (let second = 0; second < 10; second += 1) house.gateway.wheel.turn()
  await Promise.all([once(silent, 'close'), once(other, 'close')])
})
