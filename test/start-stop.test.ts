import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import test, { after, describe } from 'node:test'
import { promisify } from 'node:util'
import { type Carillon, type Envelope, startCarillon } from './harness/carillon.ts'
import { run } from './harness/command.ts'
import { type DeviceOptions, connectDevice } from './harness/device.ts'
import { isOfThree } from './harness/installation.ts'
import type { Node } from './harness/node.ts'

const shell = promisify(execFile)

const oneLine = /^carillon: [^\n]+\n$/

const adminTokens = (lines: readonly string[]): string[] => [...new Set(lines.join('\n').match(/ca_[\w-]+/g) ?? [])]

describe('one data folder through its life', async () => {
  const carillon = await startCarillon({ after }, { CARILLON_PORT: '0', CARILLON_MQTT_PORT: '0' })
  const key = join(carillon.data, 'key')

  test('the first start prints one admin token and two curl lines that work when pasted', async (t) => {
    t.assert.deepEqual(adminTokens(carillon.printed), [carillon.admin])
    const lines = carillon.printed.filter((line) => line.startsWith('curl '))
    const shown = carillon.printed.filter((line) => line.includes(carillon.admin) && !lines.includes(line))
    t.assert.equal(shown.length, 1)
    t.assert.equal(lines.length, 2)
    const answers: Envelope[] = []
    for (const line of lines) answers.push(JSON.parse((await shell('bash', ['-c', line])).stdout))
    t.assert.deepEqual(answers[0], { code: 200, data: { task_id: 1 }, message: null })
    t.assert.equal(answers[1]!.code, 200)
    t.assert.equal(answers[1]!.data[0].task_id, 1)
    t.assert.doesNotMatch(carillon.log, /ca_/)
  })

  test('ready is one line with the bound addresses of the doors a node has; port 0 takes a free port', async (t) => {
    const ready = carillon.printed.filter((line) => line.startsWith('carillon ready'))
    const [http, mqtt] = ['http://127.0.0.1:PORT', 'mqtt://127.0.0.1:PORT']
    const doors = isOfThree ? [`${http} ${mqtt}`, http, mqtt] : [`${http} ${mqtt}`]
    t.assert.deepEqual(ready.map((line) => line.replaceAll(/:[1-9]\d+/g, ':PORT')), doors.map((line) => `carillon ready ${line}`))
    const [{ port, mqttPort }] = carillon.nodes as [Node]
    t.assert.notEqual(port, mqttPort)
    t.assert.equal((await carillon.call('/health/ready', { app: null })).code, 200)
  })

  test('the key is readable by its owner alone', async (t) => {
    t.assert.equal((await stat(key)).mode & 0o777, 0o600)
    t.assert.equal(Buffer.from(await readFile(key, 'utf8'), 'base64').length, 32)
  })

  // Nodes on PostgreSQL may share a folder.
  if (!isOfThree) test('a second server on the same folder is refused in one line, and the first goes on', async (t) => {
    const second = await carillon.cli(['serve'], { fails: true })
    t.assert.equal(second.code, 1)
    t.assert.equal(second.stdout, '')
    t.assert.match(second.stderr, oneLine)
    t.assert.match(second.stderr, /another Carillon server/)
    t.assert.equal((await carillon.call('/push/task/list', { token: carillon.admin })).code, 200)
  })

  test('after a kill -9 it starts at once, prints no token, and the old token works', async (t) => {
    await carillon.stop('SIGKILL')
    await carillon.start({ CARILLON_POTR: '1' })
    t.assert.deepEqual(adminTokens(carillon.printed), [])
    t.assert.equal(carillon.printed.length, carillon.nodes.length)
    t.assert.equal((await carillon.counters(1)).task_id, 1)
  })

  test('a misspelt variable is told in the log, and stops nothing', (t) => {
    t.assert.match(carillon.log, /CARILLON_POTR/)
  })

  test('SIGTERM answers what is in flight, says good-bye to devices and exits 0', { timeout: 30_000 }, async (t) => {
    const user = await carillon.addUser('ann')
    const come = async (guid: string, options: DeviceOptions) =>
      connectDevice(t, carillon, await carillon.tokenFor(user, guid), options)
    const overTcp = await come('tcp', { protocolVersion: 5 })
    const overWs = await come('ws', { protocolVersion: 5, over: 'ws' })
    const older = await come('older', {})
    const farewells = [overTcp, overWs].map(({ client }) => once(client as never, 'disconnect'))
    const closed = once(older.client as never, 'close')
    const idle = connect(carillon.port, '127.0.0.1')
    await once(idle, 'connect')

    // The server has read its headers when it says "continue"; from then on the call is in flight.
    const body = JSON.stringify({ audience: 'all', message: { title: 'last call' } })
    const content = { 'content-type': 'application/json', 'content-length': body.length, expect: '100-continue' }
    const headers = { app_id: 'demo', 'access-token': carillon.admin, ...content }
    const call = request(`${carillon.http}/push/notify`, { method: 'POST', headers })
    call.flushHeaders()
    await once(call, 'continue')
    call.write(body.slice(0, 10))

    const ended = carillon.stop('SIGTERM')
    await carillon.until(() => accepts(carillon), (open) => !open)
    const answered = once(call, 'response')
    call.end(body.slice(10))
    const [answer] = await answered
    t.assert.equal(((await json(answer)) as Envelope).code, 200)
    for (const farewell of farewells) t.assert.equal((await farewell)[0].reasonCode, 0x8b)
    await closed
    t.assert.deepEqual(await ended, { code: 0, signal: null })
    t.assert.doesNotMatch(carillon.log, /did not stop in time/)
    idle.destroy()
  })

  const refusal = async (t: test.TestContext): Promise<string> => {
    const { code, stdout, stderr } = await carillon.cli(['serve'], { fails: true })
    t.assert.equal(code, 2)
    t.assert.equal(stdout, '')
    t.assert.match(stderr, oneLine)
    return stderr
  }

  test('a key that is of another store, malformed or missing is refused in one line with exit code 2', async (t) => {
    const right = await readFile(key, 'utf8')
    await writeFile(key, `${Buffer.alloc(32, 7).toString('base64')}\n`)
    t.assert.match(await refusal(t), /does not open this store/)
    await writeFile(key, 'hello\n')
    t.assert.match(await refusal(t), /malformed/)
    await rm(key)
    t.assert.match(await refusal(t), /missing/)
    const keys = (await readdir(carillon.data)).filter((name) => name.startsWith('key'))
    t.assert.deepEqual(keys, [], 'no other key was made')
    await writeFile(key, right)
    await carillon.start()
    t.assert.equal((await carillon.counters(2)).nativepush_target, 3, 'what was answered while stopping was stored')
  })
})

/** Whether the HTTP door still takes connections. */
const accepts = async (carillon: Carillon): Promise<boolean> => {
  const socket = connect(carillon.port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

test('all problems of the settings are told together, nothing is made, and the exit code is 2', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-test-'))
  t.after(() => rm(folder, { recursive: true }))
  const data = join(folder, 'data')
  const env = { CARILLON_DATA: data, CARILLON_HTTP_STATUS: 'sometimes', CARILLON_CORS_ORIGINS: 'example.com' }
  const flags = ['--port', '70000', '--ack-seconds=soon', '--colour', 'red', '--log-level']
  const { code, stdout, stderr } = await run(['serve', ...flags], { env, fails: true })
  t.assert.equal(code, 2)
  t.assert.equal(stdout, '')
  const wrong = ['CARILLON_HTTP_STATUS', 'CARILLON_CORS_ORIGINS', '--port', '--ack-seconds', '--colour', '--log-level']
  for (const name of wrong) t.assert.match(stderr, new RegExp(`^carillon: ${name} `, 'm'))
  t.assert.deepEqual(await readdir(folder), [])
})

test('carillon serve --help lists every setting as a flag and a variable', async (t) => {
  const { stdout } = await run(['serve', '--help'])
  const entries = stdout.matchAll(/^ +--([a-z-]+) [A-Z]+\n.+\n +(CARILLON_\w+)$/gm)
  const listed = new Map(Array.from(entries, (match) => [match[2]!, match[1]!]))
  const doors = ['HOST', 'PORT', 'MQTT_PORT', 'HTTP_STATUS', 'TRUST_PROXY', 'CORS_ORIGINS']
  for (const name of [...doors, 'DATA', 'KEY_FILE', 'ACK_SECONDS', 'LOG_LEVEL']) {
    t.assert.equal(listed.get(`CARILLON_${name}`), name.toLowerCase().replaceAll('_', '-'))
  }
  // Whatever is listed is a setting: a flag nobody knows would be told as a problem beside the bad port.
  const every = [...listed.values()].filter((flag) => flag !== 'port').map((flag) => `--${flag}=`)
  const { stderr } = await run(['serve', ...every, '--port=none'], { fails: true })
  t.assert.match(stderr, /--port must be/)
  t.assert.doesNotMatch(stderr, /is not a setting/)
})
