import { readFile } from 'node:fs/promises'
import { after, suite, test } from 'node:test'
import { startCarillon } from './harness/carillon.ts'
import { connectDevice } from './harness/device.ts'
import { assertRefused } from './harness/refusal.ts'

const carillon = await startCarillon({ after })

const read = async (headers: Record<string, string> = {}): Promise<string> => {
  const response = await fetch(`${carillon.http}/metrics`, { headers })
  if (response.status !== 200) throw new Error(await response.text())
  return response.text()
}

const proxied = { 'x-forwarded-for': '203.0.113.7' }

suite('GET /metrics', () => {
  test('a process of the same machine reads it without credentials, in the format of Prometheus', async (t) => {
    const response = await fetch(`${carillon.http}/metrics`)
    t.assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
    const text = await response.text()
    t.assert.match(text, /\n$/)
    const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map((match) => [match[1]!, match[2]!]))
    for (const line of text.trimEnd().split('\n')) {
      if (line.startsWith('# ')) t.assert.match(line, /^# (HELP [a-z_]+ .+|TYPE [a-z_]+ (counter|gauge|histogram))$/)
      else {
        t.assert.match(line, /^[a-z_]+(\{[a-z]+="[^"\n]*"(,[a-z]+="[^"\n]*")*\})? [0-9.e+-]+$/)
        const name = line.split(/[{ ]/, 1)[0]!
        const type = types.get(name) ?? types.get(name.replace(/_(bucket|sum|count)$/, ''))
        t.assert.equal(type === 'histogram', !types.has(name), name)
      }
    }
  })

  test('what comes through a proxy needs an admin token, of any app', async (t) => {
    const call = (token?: string) =>
      carillon.call('/metrics', { app: null, headers: proxied, ...(token !== undefined && { token }) })
    assertRefused(await call(), 10003, 401)
    assertRefused(await call('wrong'), 10008, 401)
    const userId = await carillon.addUser('curious')
    assertRefused(await call((await carillon.tokenFor(userId)).token), 10010, 403)
    const other = await carillon.addApp('other')
    for (const token of [carillon.admin, other]) {
      t.assert.match(await read({ ...proxied, 'access-token': token }), /^carillon_/m)
    }
    t.assert.match(await read({ ...proxied, authorization: `Bearer ${other}` }), /^carillon_/m)
  })

  test('what happens is counted, and only that', async (t) => {
    const userId = await carillon.addUser('counted')
    const login = await carillon.tokenFor(userId, 'phone')
    const before = await carillon.metrics()
    const device = await connectDevice(t, carillon, login, { protocolVersion: 5 })
    await carillon.online(login)
    const notify = { audience: { user_id: [userId] }, message: { title: 'counted' }, setting: { request_id: 'once' } }
    const task = await carillon.notify(notify)
    await device.has(1)
    await carillon.until(() => carillon.task(task), ({ state }) => state === 'done')
    await carillon.notify(notify)
    await carillon.call('/push/notify', { token: carillon.admin, body: { ...notify, audience: 'everybody' } })
    await carillon.call('/no/such/path')
    const inAnHour = Math.floor(Date.now() / 1000) + 3600
    const later = await carillon.notify({ ...notify, setting: { send_time: inAnHour } })
    await carillon.ok('/push/task/cancel', { token: carillon.admin, body: { task_id: later } })
    const during = await carillon.metrics()
    await device.client.endAsync()
    const all = await carillon.until(() => carillon.metrics(), (values) => values.get('carillon_sessions_online') === 0)

    const risen = (name: string): number => (all.get(name) ?? 0) - (before.get(name) ?? 0)
    const expected: Record<string, number> = {
      'carillon_http_requests_total{route="POST /push/notify",code="200"}': 3,
      'carillon_http_requests_total{route="POST /push/notify",code="10002"}': 1,
      'carillon_http_requests_total{route="none",code="40400"}': 1,
      'carillon_http_request_seconds_count{route="POST /push/notify"}': 4,
      'carillon_http_request_seconds_bucket{route="POST /push/notify",le="+Inf"}': 4,
      'carillon_notifications_total{outcome="accepted"}': 2,
      'carillon_notifications_total{outcome="repeated"}': 1,
      'carillon_task_transitions_total{to="accepted"}': 2,
      'carillon_task_transitions_total{to="done"}': 1,
      'carillon_task_transitions_total{to="cancelled"}': 1,
      'carillon_task_transitions_total{to="expired"}': 0,
      'carillon_planned_pages_total': 1,
      'carillon_planned_devices_total': 1,
      'carillon_deliveries_total{channel="nativepush",outcome="written"}': 1,
      'carillon_receipts_total{event="sent"}': 1,
      'carillon_receipts_total{event="received"}': 1,
      'carillon_greetings_total{outcome="accepted"}': 1,
      'carillon_sessions_opened_total{protocol="MQTT 5"}': 1,
      'carillon_sessions_closed_total{reason="disconnected"}': 1,
      'carillon_inbox_reads_total': 1,
      'carillon_loop_errors_total{loop="planning"}': 0,
      'carillon_store_unavailable_total': 0,
    }
    const wrong = Object.entries(expected).filter(([name, value]) => risen(name) !== value)
    t.assert.deepEqual(wrong.map(([name]) => `${name}: ${risen(name)}`), [])
    t.assert.equal(during.get('carillon_sessions_online'), 1)
    t.assert.notEqual(risen('carillon_store_groups_total'), 0)
    t.assert.equal(risen('carillon_store_commit_seconds_count'), risen('carillon_store_groups_total'))
    const ofProcess = ['resident_memory_bytes', 'cpu_seconds_total', 'start_time_seconds'].map((name) => `process_${name}`)
    for (const name of [...ofProcess, 'carillon_heap_bytes']) t.assert.equal(all.get(name)! > 0, true, name)
    for (const quantile of ['0.5', '0.99', '0.999']) {
      t.assert.equal(all.has(`carillon_event_loop_delay_seconds{quantile="${quantile}"}`), true, quantile)
    }
  })

  test('the dashboard shows every metric there is, and dashboard and alerts name none that is not', async (t) => {
    const text = await read()
    const names = new Set([...text.matchAll(/^# TYPE (\S+) \S+$/gm)].map((match) => match[1]!))
    const deploy = (file: string) => readFile(new URL(`../deploy/${file}`, import.meta.url), 'utf8')
    const metricOf = (name: string): string => (names.has(name) ? name : name.replace(/_(bucket|sum|count)$/, ''))
    const namedIn = (queries: readonly string[]): Set<string> =>
      new Set([...queries.join('\n').matchAll(/\b(?:carillon|process)_[a-z_]+/g)].map(([name]) => metricOf(name)))
    const { panels } = JSON.parse(await deploy('grafana/carillon.json')) as {
      panels: { id: number; targets?: { expr: string }[] }[]
    }
    const shown = namedIn(panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)))
    const alerts = (await deploy('prometheus/alerts.yml')).matchAll(/expr: (>-\n(?: {10}.*\n)+|.*)/g)
    const watched = namedIn([...alerts].map((match) => match[1]!))
    t.assert.deepEqual([...shown].sort(), [...names].sort())
    t.assert.notEqual(watched.size, 0)
    t.assert.deepEqual([...watched].filter((name) => !names.has(name)), [])
    t.assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
  })
})
