import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { after, suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { default as Mqtt } from 'mqtt'
import { chromium } from 'playwright-core'
import { type Login, startCarillon } from './harness/carillon.ts'
import { connectDevice } from './harness/device.ts'

const carillon = await startCarillon({ after })

const message = { title: 'Grüße', body: 'an alle', ext: { order: 7 } }

const newDevice = async (name: string): Promise<{ login: Login; send(): Promise<number> }> => {
  const userId = await carillon.addUser(name)
  const login = await carillon.tokenFor(userId, `device of ${name}`)
  return { login, send: () => carillon.notify({ audience: { user_id: [userId] }, message }) }
}

const isCountedOnce = async (t: test.TestContext, task: number): Promise<void> => {
  const row = await carillon.until(() => carillon.counters(task), (found) => found.nativepush_received! > 0)
  t.assert.deepEqual([row.nativepush_target, row.nativepush_sent, row.nativepush_received], [1, 1, 1])
  await carillon.until(() => carillon.task(task), ({ state }) => state === 'done')
}

const isThePush = (t: test.TestContext, payload: Record<string, unknown>, task: number, badge: number): void => {
  const { sent_at, ...rest } = payload
  t.assert.equal(typeof sent_at, 'number')
  t.assert.deepEqual(rest, { task_id: task, channel: 'nativepush', type: 'text', ...message, badge })
}

suite('every MQTT client is a device', { concurrency: 8 }, () => {
  for (const protocolVersion of [4, 5] as const) {
    for (const over of ['tcp', 'ws'] as const) {
      const name = `mqtt.js, MQTT ${protocolVersion === 5 ? '5' : '3.1.1'} over ${over}`
      test(`${name}, gets what waits and what is sent now`, async (t) => {
        const { login, send } = await newDevice(name)
        const waiting = await send()
        const device = await connectDevice(t, carillon, login, { protocolVersion, over })
        const properties: unknown[] = []
        device.client.on('message', (_topic, _payload, packet) => {
          properties.push({ ...packet.properties?.userProperties })
        })
        const live = await send()
        const pushes = await device.has(2)
        pushes.forEach(({ dup, qos, ...payload }, i) => {
          t.assert.deepEqual([dup, qos], [false, 1])
          isThePush(t, payload, [waiting, live][i]!, i + 1)
        })
        await isCountedOnce(t, waiting)
        await isCountedOnce(t, live)
        if (protocolVersion === 5) t.assert.deepEqual(properties.at(-1), { task_id: String(live) })
      })
    }
  }

  for (const version of ['mqttv311', 'mqttv5']) {
    test(`mosquitto_sub -V ${version} gets a push and acknowledges it`, async (t) => {
      const { login, send } = await newDevice(`mosquitto ${version}`)
      const server = ['-h', '127.0.0.1', '-p', String(carillon.mqttPort), '-V', version]
      const credentials = ['-u', login.push_token, '-P', login.token]
      const wanted = ['-t', 'push', '-q', '1', '-C', '1'] // it prints in blocks: what it got is seen when it ends
      const options = [...server, ...credentials, ...wanted]
      const child = spawn('mosquitto_sub', options, { stdio: ['ignore', 'pipe', 'inherit'] })
      t.after(() => child.kill())
      const printed = text(child.stdout)
      await carillon.online(login)
      const task = await send()
      isThePush(t, JSON.parse(await printed), task, 1)
      await isCountedOnce(t, task)
    })
  }

  test('a page in Chromium gets a push over a WebSocket and acknowledges it', async (t) => {
    const { login, send } = await newDevice('chromium')
    const browser = await chromium.launch({
      executablePath: '/usr/bin/chromium',
      args: [
        '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
        '--disable-background-networking', '--disable-component-update', '--disable-sync',
      ],
    })
    t.after(() => browser.close())
    const page = await browser.newPage()
    await page.addScriptTag({ path: fileURLToPath(import.meta.resolve('mqtt/dist/mqtt.min')) })
    const task = await send()
    const payload = await page.evaluate(
      async ({ url, username, password }) => {
        const { mqtt } = globalThis as unknown as { mqtt: typeof Mqtt }
        const client = mqtt.connect(url, { username, password, reconnectPeriod: 0 })
        const { promise, resolve, reject } = Promise.withResolvers<string>()
        client.on('message', (_topic, got) => resolve(got.toString()))
        client.on('connect', () => client.subscribe('push', { qos: 1 }))
        client.on('error', reject)
        client.on('close', () => reject(new Error('closed')))
        return promise
      },
      { url: carillon.webSocket, username: login.push_token, password: login.token },
    )
    isThePush(t, JSON.parse(payload), task, 1)
    await isCountedOnce(t, task)
  })
})
