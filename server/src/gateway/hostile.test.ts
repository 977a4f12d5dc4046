import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import test from 'node:test'
import { WebSocket } from 'ws'
import { Events, pushOf, RawDevice, receiptPacket, startGateway, targetOf, taskOf } from './gateway.fixture.ts'
import type { House } from './gateway.fixture.ts'
import { connack } from './rare-packet.ts'

const turn = ({ gateway }: House, seconds: number): void => {
  for (let i = 0; i < seconds; i += 1) gateway.wheel.turn()
}

/** Everything a device does in a life, as bytes. */
const lifeOf = (device: RawDevice, deviceId: number): Buffer =>
  Buffer.concat([
    device.encode(device.connectPacket(deviceId)),
    device.encode(device.subscribePacket()),
    device.encode(receiptPacket(7)),
    device.encode({ cmd: 'pingreq' }),
    device.encode({ cmd: 'unsubscribe', messageId: 8, unsubscriptions: ['push'] }),
  ])

const answersTo = async (device: RawDevice): Promise<string[]> =>
  (await device.packets.take(5)).map(({ cmd }) => cmd).sort()

for (const version of [4, 5] as const) {
  test(`MQTT ${version}: packets joined in one chunk, or cut at any byte, mean the same`, async (t) => {
    const house = await startGateway(t)
    const expected = ['connack', 'pingresp', 'puback', 'suback', 'unsuback']
    const length = lifeOf(new RawDevice(house.port, version), 1).length
    for (let cut = 0; cut < length; cut += 1) {
      const device = new RawDevice(house.port, version)
      device.socket.setNoDelay(true)
      const bytes = lifeOf(device, cut + 1)
      device.socket.write(bytes.subarray(0, cut))
      await new Promise((resolve) => setImmediate(resolve)) // a write of its own
      device.socket.write(bytes.subarray(cut))
      t.assert.deepEqual(await answersTo(device), expected, `cut at ${cut}`)
      device.socket.destroy()
    }
  })
}

test('a life sent byte by byte is understood', async (t) => {
  const house = await startGateway(t)
  const webSocket = new WebSocket(house.webSocketUrl, 'mqtt')
  await once(webSocket, 'open')
  const device = new RawDevice(house.port)
  const answers = new Events<Buffer>()
  webSocket.on('message', (data: Buffer) => answers.add(data))
  for (const byte of lifeOf(device, 1)) webSocket.send(Buffer.of(byte))
  const types = (await answers.take(5)).map((bytes) => bytes[0]! >> 4)
  t.assert.deepEqual(types.sort((a, b) => a - b), [2, 4, 9, 11, 13])
  webSocket.terminate()
  device.socket.destroy()
})

test('who says nothing for ten seconds is closed', async (t) => {
  const house = await startGateway(t)
  const silent = new RawDevice(house.port)
  const slow = new RawDevice(house.port)
  const known = await new RawDevice(house.port).come(1)
  slow.send(slow.encode(slow.connectPacket(2)).subarray(0, 20))
  await known.settle()
  turn(house, 10)
  await Promise.all([silent.closed, slow.closed])
  await known.settle()
})

test('an address that has filled its greetings is turned away until one of them ends', async (t) => {
  const house = await startGateway(t, { greetingsPerAddress: 2 })
  const first = new RawDevice(house.port)
  const second = new RawDevice(house.port)
  await Promise.all([once(first.socket, 'connect'), once(second.socket, 'connect')])
  const third = new RawDevice(house.port)
  await third.closed
  const refused = new WebSocket(house.webSocketUrl, 'mqtt')
  const [, response] = (await once(refused, 'unexpected-response')) as [unknown, { statusCode: number }]
  t.assert.equal(response.statusCode, 429)

  await first.come(1) // known now: no longer counted
  await new RawDevice(house.port).come(2)
  second.socket.destroy()
})

const wrongFirstWords: [string, Buffer][] = [
  ['not CONNECT', Buffer.from([0xc0, 0])],
  ['an HTTP request', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
  ['a length of five bytes', Buffer.from([0x10, 0xff, 0xff, 0xff, 0xff, 0x7f])],
  ['more than 16 KiB', Buffer.from([0x10, 0x80, 0x80, 0x01])],
  ['another protocol', Buffer.from([0x10, 12, 0, 4, 0x58, 0x58, 0x58, 0x58, 4, 2, 0, 0, 0, 0])],
  ['CONNECT cut short inside', Buffer.from([0x10, 7, 0, 4, 0x4d, 0x51, 0x54, 0x54, 4])],
  ['an empty CONNECT', Buffer.from([0x10, 0])],
  ['a name longer than the packet', Buffer.from([0x10, 4, 0xff, 0xff, 0x4d, 0x51])],
]

for (const [name, bytes] of wrongFirstWords) {
  test(`a connection that begins with ${name} is closed without a word`, async (t) => {
    const house = await startGateway(t)
    const device = new RawDevice(house.port)
    device.send(bytes)
    await device.closed
    t.assert.deepEqual(device.packets.rest, [])
  })
}

test('other protocol levels are answered with "not this version"', async (t) => {
  const house = await startGateway(t)
  for (const [level, answer] of [[3, connack(4, 1)], [6, connack(5, 0x84)], [132, connack(5, 0x84)]] as const) {
    const socket = connect(house.port, '127.0.0.1')
    socket.write(Buffer.from([0x10, 12, 0, 4, 0x4d, 0x51, 0x54, 0x54, level, 2, 0, 0, 0, 0]))
    const [data] = (await once(socket, 'data')) as [Buffer]
    t.assert.deepEqual(data, answer)
    await once(socket, 'close')
  }
})

test('what is sent ahead while credentials are looked at is kept, up to 16 KiB', async (t) => {
  const house = await startGateway(t)
  const asked = new Events<() => void>()
  const authenticate = house.ports.authenticate.bind(house.ports)
  house.ports.authenticate = async (...credentials) => {
    await new Promise<void>((resolve) => asked.add(resolve))
    return authenticate(...credentials)
  }
  const device = new RawDevice(house.port)
  device.send(device.connectPacket(1), device.subscribePacket(), { cmd: 'pingreq' })
  ;(await asked.next())()
  t.assert.deepEqual((await device.packets.take(3)).map(({ cmd }) => cmd).sort(), ['connack', 'pingresp', 'suback'])

  const pushy = new RawDevice(house.port)
  pushy.send(pushy.connectPacket(2), Buffer.alloc(20_000, 0xc0))
  await pushy.closed
  ;(await asked.next())()
  await device.settle()
  t.assert.equal(house.gateway.sessions.count, 1)
})

const violations: [string, 4 | 5, Buffer, number][] = [
  ['a second CONNECT', 5, Buffer.from([0x10, 13, 0, 4, 0x4d, 0x51, 0x54, 0x54, 5, 2, 0, 0, 0, 0, 0]), 0x82],
  ['AUTH', 5, Buffer.from([0xf0, 2, 0x18, 0]), 0x82],
  ['a packet above 64 KiB', 5, Buffer.from([0x30, 0x81, 0x80, 0x04]), 0x95],
  ['an endless length', 5, Buffer.from([0x30, 0x80, 0x80, 0x80, 0x80]), 0x81],
  ['a reserved type', 5, Buffer.from([0x00, 0]), 0x82],
  ['QoS 3', 5, Buffer.from([0x36, 4, 0, 0, 0, 1]), 0x81],
  ['QoS 2', 5, Buffer.from([0x34, 12, 0, 7, ...Buffer.from('receipt'), 0, 1, 0]), 0x9b],
  ['a retained receipt', 5, Buffer.from([0x31, 10, 0, 7, ...Buffer.from('receipt'), 0]), 0x9a],
  ['a topic alias', 5, Buffer.from([0x30, 13, 0, 7, ...Buffer.from('receipt'), 3, 0x23, 0, 1]), 0x94],
  ['packet id 0', 5, Buffer.from([0x40, 2, 0, 0]), 0x82],
  ['SUBSCRIBE without a filter', 5, Buffer.from([0x82, 3, 0, 1, 0]), 0x82],
  ['SUBSCRIBE cut short', 5, Buffer.from([0x82, 6, 0, 1, 0, 0, 9, 0x70]), 0x81],
  ['a topic longer than its packet', 4, Buffer.from([0x30, 3, 0xff, 0xff, 0x61]), 0],
  ['SUBSCRIBE with wrong flags', 4, Buffer.from([0x80, 7, 0, 1, 0, 2, 0x61, 0x62, 0]), 0],
  ['PUBACK with flags', 4, Buffer.from([0x41, 2, 0, 1]), 0],
]

for (const [name, version, bytes, code] of violations) {
  test(`MQTT ${version}: ${name} ends that session and no other`, async (t) => {
    const house = await startGateway(t)
    const other = await new RawDevice(house.port).come(2)
    const device = await new RawDevice(house.port, version).come(1)
    device.send(bytes)
    if (version === 5) t.assert.equal((await device.next('disconnect')).reasonCode, code)
    await device.closed
    t.assert.deepEqual(device.packets.rest, [])
    await other.settle()
    t.assert.equal(house.gateway.sessions.count, 1)
  })
}

test('a session that is silent for one and a half keep-alives ends; one that pings does not', async (t) => {
  const house = await startGateway(t)
  const silent = await new RawDevice(house.port, 5).come(1, { keepalive: 10 })
  const pinging = await new RawDevice(house.port, 5).come(2, { keepalive: 10 })
  const patient = await new RawDevice(house.port, 5).come(3, { keepalive: 0 })
  turn(house, 15)
  await Promise.all([silent.settle(), pinging.settle()])
  turn(house, 15)
  await pinging.settle()
  turn(house, 1)
  t.assert.equal((await silent.next('disconnect')).reasonCode, 0x8d)
  await silent.closed
  await Promise.all([pinging.settle(), patient.settle()])
})

test('a client that does not close after good-bye is closed', async (t) => {
  const house = await startGateway(t)
  const socket = connect({ port: house.port, host: '127.0.0.1', allowHalfOpen: true })
  const device = new RawDevice(house.port)
  socket.write(device.encode(device.connectPacket(1, { password: Buffer.from('wrong') })))
  socket.resume()
  await once(socket, 'end')
  const { promise, resolve } = Promise.withResolvers<void>()
  const closed = house.gateway.closed.bind(house.gateway)
  house.gateway.closed = (connection) => {
    closed(connection)
    resolve()
  }
  turn(house, 3)
  await promise
  socket.destroy()
  device.socket.destroy()
})

test('WebSocket: text frames, a missing sub-protocol and other paths are refused', async (t) => {
  const house = await startGateway(t)
  const texting = new WebSocket(house.webSocketUrl, 'mqtt')
  await once(texting, 'open')
  texting.send('hello')
  await once(texting, 'close')

  const answer = async (path: string, headers: Record<string, string>) => {
    const { port } = new URL(house.webSocketUrl)
    const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', ...headers }
    const [response] = await once(request({ port, path, headers: upgrade }).end(), 'response')
    let body = ''
    for await (const chunk of response) body += chunk
    return { status: response.statusCode, type: response.headers['content-type'], body: JSON.parse(body) }
  }
  const key = { 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' }
  t.assert.deepEqual(await answer('/other', { ...key, 'sec-websocket-protocol': 'mqtt' }), {
    status: 404,
    type: 'application/json',
    body: { code: 40400, data: null, message: 'no such path' },
  })
  t.assert.equal((await answer('/mqtt', key)).body.code, 10002)
  t.assert.equal((await answer('/mqtt', { 'sec-websocket-protocol': 'mqtt' })).body.code, 10002)
})

test('WebSocket: the 16 KiB of a greeting count before a message is complete', async (t) => {
  const house = await startGateway(t)
  const webSocket = new WebSocket(house.webSocketUrl, 'mqtt')
  webSocket.on('error', () => {})
  await once(webSocket, 'open')
  webSocket.send(Buffer.alloc(24_000), { fin: false })
  await once(webSocket, 'close')
})

test('random bytes, before and after CONNECT, never take the door down', async (t) => {
  const house = await startGateway(t, { greetingsPerAddress: 1000 })
  const witness = await new RawDevice(house.port).come(1)
  let seed = 20_260_729
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
    return (seed >>> 8) % below
  }
  for (let round = 0; round < 400; round += 1) {
    const device = new RawDevice(house.port, round % 2 ? 4 : 5)
    const life = lifeOf(device, 2 + round)
    const known = random(3) > 0
    if (known) device.send(device.encode(device.connectPacket(2 + round)))
    // Half of it is a real life with a few bytes changed: it gets further in than noise does.
    const bytes = random(2) ? Buffer.from(life) : Buffer.from(Array.from({ length: random(300) }, () => random(256)))
    for (let i = random(4); i > 0 && bytes.length > 0; i -= 1) bytes[random(bytes.length)] = random(256)
    device.socket.end(bytes)
    device.socket.resume()
    await device.closed
  }
  t.assert.deepEqual(house.logged.filter((line) => line.startsWith('a packet could not be handled')), [])
  t.assert.deepEqual(house.gateway.sessions.hand(pushOf(1), 1, [targetOf(1)]), [{ kind: 'written' }])
  t.assert.equal(taskOf(await witness.next('publish')), 1)
  await witness.settle()
})
