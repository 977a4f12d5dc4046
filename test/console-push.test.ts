import test, { suite } from 'node:test'
import { ownChannel, vendorNames } from '@carillon/protocol/names.ts'
import { startCarillon } from './harness/carillon.ts'
import { connectDevice } from './harness/device.ts'
import { startVendorWorld, vendorToken } from './harness/vendor-world.ts'

const seconds = (count: number) => ({ timeout: count * 1000 })

suite('counting before sending', () => {
  test('the count is what a real send then targets', seconds(120), async (t) => {
    const world = await startVendorWorld(t, { vendors: ['xiaomi', 'apns'] })
    const { carillon } = world
    const addDevice: typeof world.addDevice = (tokens) => world.addDevice(tokens)
    const admin = { token: carillon.admin }
    const online = await addDevice({})
    await connectDevice(t, carillon, online)
    await carillon.online(online)
    await addDevice({ xiaomi: vendorToken('xiaomi') })
    await addDevice({ apns: vendorToken('apns') })
    await addDevice({ huawei: vendorToken('huawei') }) // for which the app has no certificate
    const silent = await addDevice({})
    await carillon.ok('/user/push', { token: silent.token, body: { enabled: false } })
    const hour = new Date().getUTCHours()
    const quiet = await addDevice({ xiaomi: vendorToken('xiaomi') })
    await carillon.ok(
      '/user/push',
      {
        token: quiet.token, body: {
          enabled: true, no_push_start_hour: hour, no_push_end_hour: (hour + 2) % 24, time_zone: 'UTC',
        },
      },
    )
    await carillon.ok('/user/push/tag', { token: quiet.token, body: { tags: ['quiet'] } })

    for (const [audience, setting] of [
      ['all', {}], ['all', { distribution_strategy: 'ospush_only' }],
      ['all', { distribution_strategy: 'nativepush_only' }], ['all', { priority: 'high' }],
      [{ tag: ['quiet', 'nobody'] }, {}], [{ push_token: [online.push_token, 'cp_nobody'] }, {}],
      [{ user_id: [online.user_id, 9_999_999] }, { time_to_live: 0 }],
    ] as const) {
      const message = { title: 'Hello' }
      const counted = await carillon.ok('/push/count', { ...admin, body: { audience, setting, message } })
      const task = await carillon.notify({ audience, setting, message })
      const { reasons, counters } = await carillon.until(
        () => carillon.task(task), ({ state }) => state !== 'accepted' && state !== 'planning',
      )
      const told = JSON.stringify([audience, setting, counted, reasons])
      const vendors = ['xiaomi', 'apns'] as const
      for (const vendor of vendors) t.assert.equal(counters[`${vendor}_target`], counted.channels[vendor] ?? 0, told)
      t.assert.equal(counters.nativepush_target, (counted.channels.nativepush ?? 0) + counted.inbox, told)
      const of = (channel: string) => Object.entries(reasons).filter(([key]) => key.startsWith(`${channel}: `))
      t.assert.deepEqual(
        Object.fromEntries(of('none').map(([key, count]) => [key.slice('none: '.length), count])), counted.none, told,
      )
      t.assert.equal(of('held').reduce((sum, [, count]) => sum + count, 0), counted.held, told)
      const parts = [
        ...Object.values<number>(counted.channels), counted.inbox, counted.held, ...Object.values<number>(counted.none),
      ]
      t.assert.deepEqual([counted.devices, counted.complete], [parts.reduce((a, b) => a + b, 0), true], told)
    }
  })

  test('nothing is stored, and what is wrong is told by its field', seconds(60), async (t) => {
    const carillon = await startCarillon(t)
    const admin = { token: carillon.admin }
    t.assert.deepEqual(await carillon.ok(
      '/push/count', { ...admin, body: { audience: 'all', setting: { request_id: 'r' } } },
    ), {
      channels: {}, inbox: 0, held: 0, none: {}, reasons: [], devices: 0, complete: true,
    })
    t.assert.deepEqual(await carillon.ok('/push/task/list', admin), [])
    for (const [path, body, field] of [
      ['/push/count', {}, 'audience'], ['/push/count', { audience: { tags: ['a'] } }, 'audience.tags'],
      ['/push/count', { audience: { tag: ['a'], alias: ['b'] } }, 'audience'],
      ['/push/count', { audience: 'all', message: { badge: 'x' } }, 'message.badge'],
      ['/push/count', { audience: 'all', setting: { priority: 'low' } }, 'setting.priority'],
      ['/push/count', { audience: 'all', message: { type: 'image' } }, 'message'],
      ['/push/preflight', { message: { title: 'a', show_end_time: 1 } }, 'message.show_end_time'],
      ['/push/preflight', { message: { title: 'a', android: { click_action: 'intent' } } }, 'message.android.intent'],
    ] as const) {
      const { code, message } = await carillon.call(path, { ...admin, body })
      t.assert.deepEqual([code, message?.split(' ')[0]], [10002, field], JSON.stringify(body))
    }
  })
})

test('a preflight shows what the requests to the vendors then hold', seconds(120), async (t) => {
  const world = await startVendorWorld(t, { vendors: ['xiaomi', 'honor', 'apns'] })
  const { carillon, simulators } = world
  await world.addDevice({ xiaomi: vendorToken('xiaomi') })
  await world.addDevice({ honor: vendorToken('honor') })
  await world.addDevice({ apns: vendorToken('apns') })
  const message = {
    title: '标题'.repeat(40), body: 'A long body. '.repeat(40), attachment_url: 'https://a.example/a.png',
    android: { sound: 'bell.mp3' },
  }
  const setting = { distribution_strategy: 'ospush_only' }
  const list = await carillon.ok('/push/preflight', { token: carillon.admin, body: { message, setting } })
  t.assert.deepEqual(list.map(({ vendor }: any) => vendor), [ownChannel, ...vendorNames])
  const of = (vendor: string) => list.find((carried: any) => carried.vendor === vendor)
  await world.send(message)
  const fields = (vendor: 'xiaomi' | 'honor' | 'apns') => simulators.received(vendor).at(-1)!.fields as any
  const [xiaomi, honor, apns] = [fields('xiaomi'), fields('honor'), fields('apns')]
  t.assert.deepEqual(
    [of('xiaomi').title, of('xiaomi').body, of('xiaomi').image], [xiaomi.title, xiaomi.description, null],
  )
  const { notification } = honor.android
  t.assert.deepEqual(
    [of('honor').title, of('honor').body, of('honor').image],
    [notification.title, notification.body, notification.image],
  )
  t.assert.equal(notification.title.endsWith('…'), true)
  t.assert.deepEqual([of('apns').title, of('apns').body], [apns.payload.aps.alert.title, apns.payload.aps.alert.body])
  t.assert.deepEqual(
    of('honor').cut.map(({ field, to }: any) => [field, to]), [['message.title', 40], ['message.body', 256]],
  )
  t.assert.deepEqual(of('honor').dropped.map(({ field }: any) => field), ['message.android.sound'])
  t.assert.deepEqual(
    [of('nativepush').title, of('nativepush').cut, of('nativepush').certificate], [message.title, [], true],
  )
  t.assert.deepEqual([of('xiaomi').certificate, of('vivo').certificate], [true, false])
  const blank = await carillon.ok('/push/preflight', { token: carillon.admin, body: {} })
  for (const { title, body, dropped } of blank) t.assert.deepEqual([title, body, dropped], [null, null, []])
})
