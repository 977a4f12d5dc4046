// Once: it is about the simulators and the addresses they print, which the store has no part in.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import test from 'node:test'
import { providerOfVendor, type VendorName } from '@carillon/protocol/names.ts'
import { type Carillon, startCarillon } from './harness/carillon.ts'
import { command, run } from './harness/command.ts'
import { makeAccounts, vendorNames, vendorToken } from './harness/vendor-world.ts'

type Test = test.TestContext

/** Runs `carillon simulate` until the test ends; resolves when it has printed that many lines. */
const simulate = async (t: Test, args: string[], lines: number) => {
  const child = spawn(process.execPath, [command, 'simulate', '--port', '0', ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  const printed: string[] = []
  for await (const line of createInterface({ input: child.stdout })) if (printed.push(line) === lines) break
  t.assert.equal(printed.length, lines, 'it printed what it had to before it ended')
  const stop = async (signal: NodeJS.Signals): Promise<number> => {
    const ended = once(child, 'exit')
    child.kill(signal)
    return (await ended)[0]
  }
  return { printed, stop }
}
const PRINTED = 12

/** What a shell has set after all of it was pasted. */
const pasted = (lines: readonly string[]): Record<string, string> => {
  const env = execFileSync('sh', ['-ec', `${lines.join('\n')}\nenv`], { env: { PATH: process.env.PATH }, encoding: 'utf8' })
  const set = env.split('\n').filter((line) => line.startsWith('CARILLON_'))
  return Object.fromEntries(set.map((line) => line.split('=', 2)))
}

const { certificates } = makeAccounts()
const setCertificate = (carillon: Carillon, vendor: VendorName): Promise<unknown> => {
  const body = { provider: providerOfVendor[vendor], environment: 1, ...certificates[vendor] }
  return carillon.ok('/push/certificate', { method: 'PUT', token: carillon.admin, body })
}

/** A user with a device that one vendor reaches; resolves to its vendor token. */
const addDevice = async (carillon: Carillon, vendor: VendorName): Promise<string> => {
  const login = await carillon.tokenFor(await carillon.addUser(vendor), vendor)
  const token = vendorToken(vendor)
  const platform = vendor === 'apns' ? 'ios' : 'android'
  await carillon.ok('/user/token/bind', { token: login.token, body: { device_token: token, provider: providerOfVendor[vendor], platform } })
  return token
}

const notify = { audience: 'all', message: { title: 'Hello', body: 'from the test' }, setting: { distribution_strategy: 'ospush_only' } }

test('what simulate prints, pasted into a shell, leads a server to all eight vendors; its page shows what they got', { timeout: 60_000 }, async (t) => {
  const { printed, stop } = await simulate(t, [], PRINTED)
  const env = pasted(printed)
  t.assert.equal(Object.keys(env).length, vendorNames.length)
  const inspectUrl = printed.join('\n').match(/receive: (http:\S+)$/m)![1]!

  const carillon = await startCarillon(t, env)
  const tokens = new Map<VendorName, string>()
  for (const vendor of vendorNames) {
    await setCertificate(carillon, vendor)
    tokens.set(vendor, await addDevice(carillon, vendor))
  }
  const task = await carillon.notify(notify)
  await carillon.until(() => carillon.task(task), ({ state }) => state === 'done')
  const counters = await carillon.counters(task)
  for (const vendor of vendorNames) {
    t.assert.equal(counters[`${vendor}_sent`], 1, vendor)
    const received = (await (await fetch(`${inspectUrl}/received?vendor=${vendor}`)).json()) as { taken: string[]; fields: unknown }[]
    t.assert.deepEqual(received.flatMap(({ taken }) => taken), [tokens.get(vendor)], vendor)
    t.assert.match(JSON.stringify(received), /from the test/)
  }
  t.assert.match(await (await fetch(inspectUrl)).text(), /What the simulators received/)
  t.assert.equal(await stop('SIGTERM'), 0)
})

test('told where Huawei and Honor report to, they do, and the pushes count as received', { timeout: 60_000 }, async (t) => {
  const carillon = await startCarillon(t)
  for (const vendor of ['huawei', 'honor'] as const) {
    await setCertificate(carillon, vendor)
    await addDevice(carillon, vendor)
  }
  await carillon.stop()
  const knowing = { CARILLON_PUBLIC_URL: carillon.http }
  await carillon.start(knowing)
  const listed = await carillon.ok<{ receipt_url: string }[]>('/push/certificate/list', { token: carillon.admin })
  await carillon.stop()

  const urls = listed.flatMap(({ receipt_url }) => ['--receipts', receipt_url])
  const { printed, stop } = await simulate(t, ['--json', ...urls], 1)
  await carillon.start({ ...knowing, ...JSON.parse(printed[0]!).env })
  const task = await carillon.notify(notify)
  await carillon.until(() => carillon.counters(task), ({ huawei_received, honor_received }) => huawei_received === 1 && honor_received === 1)
  t.assert.equal(await stop('SIGINT'), 0)
})

test('simulate says in one line what it cannot do', { timeout: 60_000 }, async (t) => {
  const taken = createServer().listen(0, '127.0.0.1')
  t.after(() => taken.close())
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const last = 65_535 - vendorNames.length // the page and every vendor have one each
  const wrong: [args: string[], code: number, says: RegExp][] = [
    [['--port', String(port)], 1, /cannot listen: .*--port/],
    [['--port', String(last + 1)], 2, new RegExp(`--port must be at most ${last}:`)],
    [['--port', 'many'], 2, /--port must be a whole number/],
    [['--receipts', 'http://127.0.0.1:1/elsewhere'], 2, /receipt_url/],
    [['--receipts', 'http://127.0.0.1:1/push/receipt/oppo/secret'], 2, /oppo is told with every push/],
    [['more'], 2, /usage: carillon simulate/],
  ]
  for (const [args, code, says] of wrong) {
    const ran = await run(['simulate', ...args], { fails: true })
    t.assert.deepEqual([ran.code, ran.stdout], [code, ''], args.join(' '))
    t.assert.match(ran.stderr, /^carillon: [^\n]+\n$/)
    t.assert.match(ran.stderr, says)
  }
})

test('no other command loads the simulators', { timeout: 60_000 }, async (t) => {
  const hook = `import { registerHooks } from 'node:module'
    registerHooks({ load(url, context, next) {
      if (/\\/simulators[/-]/.test(url)) throw new Error('the simulators were loaded')
      return next(url, context)
    } })`
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}` }
  const { stdout } = await run(['help'], { env })
  t.assert.match(stdout, /carillon simulate/)
  await run(['notify', '--help'], { env })
  t.assert.match((await run(['simulate', '--port', '0'], { env, fails: true })).stderr, /the simulators were loaded/)
})
