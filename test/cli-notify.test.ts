import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { startCarillon } from './harness/carillon.ts'
import { command } from './harness/command.ts'
import { connectDevice } from './harness/device.ts'

const carillon = await startCarillon({ after })
const login = await carillon.tokenFor(await carillon.addUser('ann'), 'phone of ann')
const device = await connectDevice({ after }, carillon, login)
await carillon.online(login)
const payloads: string[] = []
device.client.on('message', (_topic, payload) => payloads.push(payload.toString()))

const base = ['notify', '--app', 'demo', '--token', carillon.admin, '--url', carillon.http]
const notify = (args: string[], options: { input?: string; fails?: boolean } = {}) => carillon.cli([...base, ...args], options)
let arrived = 0
const next = async () => (await device.has(++arrived)).at(-1)!

test('notify prints the task id alone, and the fields reach the device as they were typed', async (t: test.TestContext) => {
  const { stdout } = await notify(['--user', `${login.user_id},999`, '--title', 'Hello', '--body', 'there', '--badge', '7', '--ext', '{"big":12345678901234567890}'])
  t.assert.match(stdout, /^\d+\n$/)
  const push = await next()
  t.assert.deepEqual([push.task_id, push.title, push.body, push.badge], [Number(stdout), 'Hello', 'there', 7])
  t.assert.match(payloads.at(-1)!, /12345678901234567890/, 'no digit is rounded')

  const more = ['--push-token', login.push_token, '--type', 'cmd', '--title', 'x', '--ttl', '60', '--strategy', 'nativepush_only', '--request-id', 'once']
  const first = JSON.parse((await notify([...more, '--json'])).stdout)
  t.assert.equal((await next()).type, 'cmd')
  t.assert.deepEqual(JSON.parse((await notify([...more, '--json'])).stdout), first, 'the same request_id is the same task')
  const shown: any = await carillon.task(first.task_id)
  t.assert.deepEqual([shown.setting.time_to_live, shown.setting.distribution_strategy], [60, 'nativepush_only'])

  const dry = JSON.parse((await notify(['--all', '--title', 'x', '--dry-run', '--json'])).stdout)
  t.assert.equal(((await carillon.task(dry.task_id)) as any).dry_run, true)
})

test('a whole body comes from a file or from stdin', async (t: test.TestContext) => {
  const body = JSON.stringify({ audience: 'all', message: { title: 'from a file' } })
  const file = join(carillon.data, 'notify.json')
  await writeFile(file, body)
  await notify(['--file', file])
  t.assert.equal((await next()).title, 'from a file')
  await notify(['--file', '-'], { input: body.replace('a file', 'stdin') })
  t.assert.equal((await next()).title, 'from stdin')
})

test('--watch ends with the task: lines where it is piped, the whole record with --json', async (t: test.TestContext) => {
  const { stdout } = await notify(['--all', '--title', 'watched', '--watch'])
  const id = Number((await next()).task_id)
  const lines = stdout.trim().split('\n')
  t.assert.equal(lines[0], String(id))
  t.assert.equal(lines.at(-1), 'done  nativepush 1/1/1')
  const task = JSON.parse((await notify(['--all', '--title', 'watched', '--watch', '--json'])).stdout)
  await next()
  t.assert.deepEqual([task.state, task.counters.nativepush_received], ['done', 1])
})

test('on a terminal --watch draws one table in place, until the task has ended', async (t: test.TestContext) => {
  const later = new Date(Date.now() + 3_600_000).toISOString()
  const words = [process.execPath, command, ...base, '--all', '--title', 'later', '--send-time', later, '--watch']
  const child = spawn('script', ['-qec', words.map((word) => `'${word}'`).join(' '), '/dev/null'], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  let shown = ''
  for await (const chunk of child.stdout) {
    shown += String(chunk)
    const drawn = /task (\d+): (?!cancelled)/.exec(shown)
    // Cancelling what is cancelled changes nothing, so every draw before the last may ask for it.
    if (drawn) await carillon.ok('/push/task/cancel', { token: carillon.admin, body: { task_id: Number(drawn[1]) } })
  }
  const ESC = '\x1b'
  const draws = shown.replaceAll(`${ESC}[K`, '').split(new RegExp(`${ESC}\\[\\d+A`))
  t.assert.ok(draws.length > 1, JSON.stringify(shown))
  t.assert.match(draws[0]!, /^\d+\r\n\rtask \d+: \w+\r\n\rchannel +target +sent +received/)
  t.assert.match(draws.at(-1)!, /^\rtask \d+: cancelled/)
})

test('what is wrong with a call is said in one line', async (t: test.TestContext) => {
  const failure = async (args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await carillon.cli(args, { fails: true })
    t.assert.equal(stdout, '')
    return `${code} ${stderr}`
  }
  t.assert.match(await failure([...base, '--title', 'x']), /^2 carillon: say who should get it/)
  t.assert.match(await failure([...base, '--all', '--tag', 'x', '--title', 'x']), /^2 carillon: say who should get it/)
  t.assert.match(await failure([...base, '--user', 'ann', '--title', 'x']), /^2 carillon: --user must be a whole number/)
  t.assert.match(await failure([...base, '--all', '--ext', '{']), /^2 carillon: --ext is not the JSON/)
  t.assert.match(await failure([...base, '--all', '--send-time', 'soon']), /^2 carillon: --send-time/)
  t.assert.match(await failure([...base, '--all', '--file', 'x']), /^2 carillon: --file is a whole body/)
  t.assert.match(await failure(['notify', '--app', 'demo', '--all', '--title', 'x']), /^2 carillon: --token is required/)
  t.assert.match(await failure(['notify', '--port', '0', ...base.slice(1, 5), '--all', '--title', 'x']), /^2 carillon: .*any free port.*--url/)
  t.assert.match(await failure([...base, '--all', '--type', 'song', '--title', 'x']), /^1 carillon: the server answered 10002: message.type must be/)
  t.assert.match(await failure([...base.slice(0, 4), 'ca_wrong', ...base.slice(5), '--all', '--title', 'x']), /^1 carillon: the server answered 10008/)
  t.assert.match(await failure([...base.slice(0, 5), '--url', 'http://127.0.0.1:9', '--all', '--title', 'x']), /^1 carillon: no server answers at/)
})
