import { once, type EventEmitter } from 'node:events'
import { connect } from 'node:net'
import test, { type TestContext } from 'node:test'
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt'
import { deliveryOf, Events, NOW, pushOf, startGateway, targetOf, type House } from './gateway.fixture.ts'
import { ownChannel } from './own-channel.ts'

const ways = [
  { name: 'MQTT 3.1.1 over TCP', protocolVersion: 4, webSocket: false },
  { name: 'MQTT 5 over TCP', protocolVersion: 5, webSocket: false },
  { name: 'MQTT 3.1.1 over WebSocket', protocolVersion: 4, webSocket: true },
  { name: 'MQTT 5 over WebSocket', protocolVersion: 5, webSocket: true },
] as const

type Way = (typeof ways)[number]

const open = (t: TestContext, house: House, way: Way, deviceId: number, more: IClientOptions = {}): MqttClient => {
  const client = mqtt.connect(way.webSocket ? house.webSocketUrl : house.tcpUrl, {
    protocolVersion: way.protocolVersion,
    username: `push-${deviceId}`,
    password: `access-${deviceId}`,
    reconnectPeriod: 0,
    ...more,
  })
  client.on('error', () => {})
  t.after(() => client.end(true))
  return client
}

const happens = (emitter: unknown, event: string): Promise<unknown[]> => once(emitter as EventEmitter, event)

const refusal = async (client: MqttClient): Promise<number> => {
  const [error] = (await happens(client, 'error')) as [{ code: number }]
  return error.code
}

for (const way of ways) {
  const v5 = way.protocolVersion === 5

  test(`${way.name}: inbox first, oldest first, then what is handed over; each acknowledged`, async (t) => {
    const house = await startGateway(t)
    house.ports.inboxes.set(1, [deliveryOf(11), deliveryOf(12, { again: true, badge: 4 }), deliveryOf(13)])
    const client = open(t, house, way, 1)
    const messages = new Events<{ payload: Record<string, unknown>; dup: boolean; properties: unknown }>()
    client.on('message', (_topic, payload, { dup, properties }) =>
      messages.add({ payload: JSON.parse(payload.toString()), dup, properties }),
    )
    await happens(client, 'connect')
    t.assert.deepEqual((await client.subscribeAsync('push', { qos: 1 })).map(({ qos }) => qos), [1])
    t.assert.equal(await house.ports.arrivals.next(), 1)

    const inbox = await messages.take(3)
    t.assert.deepEqual(inbox.map(({ payload }) => payload['task_id']), [11, 12, 13])
    t.assert.deepEqual(inbox.map(({ dup }) => dup), [false, true, false])
    t.assert.deepEqual(inbox.map(({ payload }) => payload['badge']), [undefined, 4, undefined])
    t.assert.deepEqual((await house.ports.acknowledged.take(3)).map(({ batchId }) => batchId), [110, 120, 130])
    t.assert.deepEqual((await house.ports.written.take(3)).map(({ final }) => final), [false, false, false])

    const channel = ownChannel(house.gateway.sessions)
    t.assert.deepEqual(await channel.hand(pushOf(14), { batchId: 140, environment: 1, until: Infinity, sent: () => {}, by: () => {} }, [targetOf(1, 9), targetOf(2)]), [
      { kind: 'written' },
      { kind: 'away' },
    ])
    const { payload, properties } = await messages.next()
    t.assert.deepEqual(payload, {
      task_id: 14,
      channel: 'nativepush',
      type: 'text',
      title: 'push 14',
      sent_at: NOW,
      badge: 9,
    })
    if (v5) {
      t.assert.deepEqual(JSON.parse(JSON.stringify(properties)), {
        messageExpiryInterval: 3600,
        userProperties: { task_id: '14' },
      })
    }
    t.assert.deepEqual(await house.ports.acknowledged.next(), { batchId: 140, index: 0, badge: 9, push: pushOf(14) })
    t.assert.equal(house.gateway.sessions.count, 1)

    await client.endAsync()
    t.assert.equal(await house.ports.departures.next(), 1)
    t.assert.equal(house.gateway.sessions.count, 0)
  })

  test(`${way.name}: at QoS 0 a push is final once written`, async (t) => {
    const house = await startGateway(t)
    house.ports.inboxes.set(1, [deliveryOf(1)])
    const client = open(t, house, way, 1)
    const tasks = new Events<number>()
    client.on('message', (_topic, payload) => tasks.add(JSON.parse(payload.toString()).task_id))
    await client.subscribeAsync('push', { qos: 0 })
    t.assert.equal(await tasks.next(), 1)
    t.assert.equal((await house.ports.written.next()).final, true)
    t.assert.deepEqual(house.gateway.sessions.hand(pushOf(2), 1, [targetOf(1)]), [{ kind: 'sent' }])
    t.assert.equal(await tasks.next(), 2)
    t.assert.deepEqual(house.ports.written.rest, []) // a handed one is told by its outcome alone
  })

  test(`${way.name}: wrong credentials and missing ones are told apart, and both closed`, async (t) => {
    const house = await startGateway(t)
    t.assert.equal(await refusal(open(t, house, way, 1, { password: 'access-2' })), v5 ? 0x87 : 5)
    t.assert.equal(await refusal(open(t, house, way, 1, { password: '' })), v5 ? 0x86 : 4)
    t.assert.equal(await refusal(open(t, house, way, 1, { username: '' })), v5 ? 0x86 : 4)
    t.assert.equal(house.gateway.sessions.count, 0)
    t.assert.equal(house.logged.some((line) => line.includes('access-') || line.includes('push-')), false)
  })

  test(`${way.name}: a will is not taken`, async (t) => {
    const house = await startGateway(t)
    const will = { topic: 'receipt', payload: Buffer.from('x'), qos: 0, retain: false } as const
    t.assert.equal(await refusal(open(t, house, way, 1, { will })), v5 ? 0x87 : 5)
  })

  test(`${way.name}: only the filter push is granted, and a refused one changes nothing`, async (t) => {
    const house = await startGateway(t)
    const client = open(t, house, way, 1)
    await happens(client, 'connect')
    const granted = async (filters: Record<string, { qos: 0 | 1 | 2 }>): Promise<number[]> => {
      const { promise, resolve } = Promise.withResolvers<number[]>()
      client.subscribe(filters, (_error, _grants, packet) => resolve(packet!.granted as number[]))
      return promise
    }
    const failure = v5 ? 0x87 : 0x80
    t.assert.deepEqual(await granted({ '#': { qos: 1 }, 'push/+': { qos: 0 } }), [failure, failure])
    t.assert.deepEqual(house.gateway.sessions.hand(pushOf(1), 1, [targetOf(1)]), [{ kind: 'away' }])
    t.assert.deepEqual(await granted({ '$share/g/push': { qos: 1 } }), [v5 ? 0x9e : 0x80])
    t.assert.deepEqual(await granted({ other: { qos: 1 }, push: { qos: 2 } }), [failure, 1])
    await house.ports.arrivals.next()
    t.assert.equal(client.connected, true)
  })

  test(`${way.name}: a receipt is taken, then acknowledged`, async (t) => {
    const house = await startGateway(t)
    const client = open(t, house, way, 3)
    await client.publishAsync('receipt', '{"task_id":9007199254740993,"event":"clicked"}', { qos: 1 })
    const { caller, item } = await house.ports.receipts.next()
    t.assert.deepEqual(caller, { appId: 1, userId: 1003, deviceId: 3, tokenId: 2003 })
    t.assert.equal(JSON.stringify(item), '{"task_id":9007199254740993,"event":"clicked"}')
    await client.publishAsync('receipt', '{"task_id":2,"event":"shown"}', { qos: 0 })
    t.assert.deepEqual((await house.ports.receipts.next()).item, { task_id: 2, event: 'shown' })
  })

  test(`${way.name}: publishing anywhere else closes the connection`, async (t) => {
    const house = await startGateway(t)
    const client = open(t, house, way, 3)
    await happens(client, 'connect')
    const closed = happens(client, 'close')
    client.publish('push', 'x', { qos: 1 }, () => {})
    await closed
    t.assert.equal(house.gateway.sessions.count, 0)
  })

  test(`${way.name}: a new connection of the device takes over`, async (t) => {
    const house = await startGateway(t)
    const first = open(t, house, way, 1, { clientId: 'one' })
    await first.subscribeAsync('push', { qos: 1 })
    const gone = happens(first, 'close')
    const why = v5 ? happens(first, 'disconnect') : undefined
    const second = open(t, house, way, 1, { clientId: 'two' })
    await second.subscribeAsync('push', { qos: 1 })
    await gone
    if (why) t.assert.equal(((await why) as [{ reasonCode: number }])[0].reasonCode, 0x8e)
    await house.ports.arrivals.take(2)
    const message = happens(second, 'message')
    t.assert.deepEqual(house.gateway.sessions.hand(pushOf(1), 1, [targetOf(1)]), [{ kind: 'written' }])
    await message
    t.assert.equal(house.gateway.sessions.count, 1)
  })

  test(`${way.name}: revoking a token, a user or a device closes its connection, and no other`, async (t) => {
    const house = await startGateway(t)
    const { sessions } = house.gateway
    const clients = [1, 2, 3, 4].map((deviceId) => open(t, house, way, deviceId))
    await Promise.all(clients.map((client) => happens(client, 'connect')))
    const closed = clients.slice(0, 3).map((client) => happens(client, 'close'))
    const why = v5 ? clients.slice(0, 3).map((client) => happens(client, 'disconnect')) : []
    sessions.closeToken(2001)
    sessions.closeUser(1002)
    sessions.closeDevice(3, 'removed')
    await Promise.all(closed)
    const packets = (await Promise.all(why)) as [{ reasonCode: number }][]
    t.assert.deepEqual(packets.map(([packet]) => packet.reasonCode), v5 ? [0x87, 0x98, 0x98] : [])
    t.assert.equal(sessions.count, 1)
    t.assert.equal(clients[3]!.connected, true)
  })
}

test('shutting down says so to MQTT 5 and closes everyone, also those that have not said who they are', async (t) => {
  const house = await startGateway(t)
  const client = open(t, house, ways[1], 1)
  const other = open(t, house, ways[2], 2)
  const unknown = connect(house.port, '127.0.0.1').resume()
  await Promise.all([happens(client, 'connect'), happens(other, 'connect'), happens(unknown, 'connect')])
  const why = happens(client, 'disconnect')
  const closed = [happens(client, 'close'), happens(other, 'close'), happens(unknown, 'close')]
  await house.gateway.close()
  t.assert.equal(((await why) as [{ reasonCode: number }])[0].reasonCode, 0x8b)
  await Promise.all(closed)
})

test('a token revoked while its connection is being let in does not get in', async (t) => {
  const house = await startGateway(t)
  const { ports, gateway } = house
  const authenticate = ports.authenticate.bind(ports)
  let asked = 0
  ports.authenticate = async (pushToken, accessToken) => {
    const caller = await authenticate(pushToken, accessToken)
    asked += 1
    if (asked === 1) {
      ports.revokedTokens.add(2001)
      gateway.sessions.closeToken(2001)
    }
    return caller
  }
  t.assert.equal(await refusal(open(t, house, ways[0], 1)), 5)
  t.assert.equal(asked, 2)
})

test('a house that cannot answer is told as server unavailable', async (t) => {
  const house = await startGateway(t)
  house.ports.authenticate = async () => {
    throw new Error('store is gone')
  }
  t.assert.equal(await refusal(open(t, house, ways[0], 1)), 3)
  t.assert.equal(await refusal(open(t, house, ways[1], 1)), 0x88)
})

test('MQTT 5 is told what this door does and does not do', async (t) => {
  const house = await startGateway(t)
  const client = open(t, house, ways[1], 1, { clientId: '', properties: { sessionExpiryInterval: 100 } })
  const [{ properties, sessionPresent }] = (await happens(client, 'connect')) as [
    { properties: Record<string, unknown>; sessionPresent: boolean },
  ]
  const { assignedClientIdentifier, ...fixed } = properties
  t.assert.match(String(assignedClientIdentifier), /^[0-9a-f-]{36}$/)
  t.assert.equal(sessionPresent, false)
  t.assert.deepEqual({ ...fixed }, {
    sessionExpiryInterval: 0,
    receiveMaximum: 16,
    maximumQoS: 1,
    retainAvailable: false,
    maximumPacketSize: 65536,
    wildcardSubscriptionAvailable: false,
    subscriptionIdentifiersAvailable: false,
    sharedSubscriptionAvailable: false,
  })
})
