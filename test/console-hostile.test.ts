// Once: what a page does with a text does not depend on how many nodes stored it.
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { signIn, startBrowser, visit, watch } from './harness/browser.ts'
import { startCarillon } from './harness/carillon.ts'

const did = 'window.hacked=1'

/** Ways to run it from a text that is taken for something else. */
const payloads = [
  `<script>${did}</script>`, `<img src=x onerror=${did}>`, `<svg onload=${did}>`, `<iframe srcdoc="<script>top.hacked=1</script>">`,
  `<body onload=${did}>`, `<details open ontoggle=${did}>`, `<input autofocus onfocus=${did}>`, `<video><source onerror=${did}>`,
  `<math href="javascript:${did}">`, `<a href="javascript:${did}">x</a>`, `javascript:${did}`, `JaVaScRiPt:${did}`,
  `data:text/html,<script>${did}</script>`, `<base href="javascript:${did}//">`, `<style>@import 'javascript:${did}'</style>`,
  `<meta http-equiv=refresh content="0;javascript:${did}">`, `<form action="javascript:${did}"><button>x`, `{{constructor.constructor('${did}')()}}`,
  `\${${did}}`, `<object data="javascript:${did}">`,
]

/** Ways out of the place where a text stands. */
const exits: ((payload: string) => string)[] = [
  (payload) => payload, (payload) => `">${payload}`, (payload) => `'>${payload}`, (payload) => `</title>${payload}`,
  (payload) => `</textarea>${payload}`, (payload) => `-->${payload}`, (payload) => `</script>${payload}`,
  (payload) => `" onmouseover="${did}" ${payload}`, (payload) => `{"__proto__":"${payload.replaceAll('"', "'")}"}`, (payload) => `\u202e${payload}\u2028`,
]

const hostile = exits.flatMap((exit) => payloads.map(exit))

const typeEverywhere = (page: Page): Promise<number> => page.evaluate(`tester.type(${JSON.stringify(hostile)})`)

/** Those that are not on the page, letter by letter. */
const unseenOn = async (page: Page): Promise<string[]> => {
  const shown = await page.evaluate<string>('document.body.textContent')
  return hostile.filter((text) => !shown.includes(text))
}

const ran = (page: Page): Promise<unknown> => page.evaluate('window.hacked')

test('no script runs, whatever is typed into any field', async (t: test.TestContext) => {
  t.assert.equal(new Set(hostile).size, 200)
  const carillon = await startCarillon(t)
  const user = await carillon.addUser('ann')
  const { push_token } = await carillon.tokenFor(user, 'phone')
  const task = await carillon.notify({ audience: 'all', message: { title: 'Evensong' } })
  const page = await (await startBrowser(t)).newPage()
  const problems = watch(page)
  await page.goto(carillon.http)
  await page.getByLabel('App ID').waitFor()
  t.assert.equal(await typeEverywhere(page), 2)
  await signIn(page, { http: carillon.http, token: carillon.admin })
  const opened: Record<string, string> = { '/certificates': 'Set up FCM', '/users': 'New user' }
  const places = [
    '/compose', '/tasks', `/tasks/${task}`, '/devices', `/devices/${push_token}`, '/users', `/users/${user}`, '/certificates',
    '/settings', '/settings?section=tokens', '/settings?section=webhook', '/browser',
  ]
  for (const place of places) {
    await visit(page, place)
    if (opened[place]) {
      await page.getByRole('button', { name: opened[place] }).first().click()
      await page.getByRole('dialog').waitFor()
    }
    const fields = await typeEverywhere(page)
    t.diagnostic(`${place}: ${fields} fields`)
    t.assert.ok(fields > 0 || place === '/settings', `${place} has no field`)
    t.assert.equal(await ran(page), undefined, place)
    if (opened[place]) await page.keyboard.press('Escape')
  }
  t.assert.deepEqual(problems, [])
})

test('what was stored is shown as the text it is', async (t: test.TestContext) => {
  const carillon = await startCarillon(t)
  const user = await carillon.addUser('ann')
  const page = await (await startBrowser(t)).newPage()
  const problems = watch(page)
  await signIn(page, { http: carillon.http, token: carillon.admin, at: '/browser' })
  await page.getByLabel('User ID').fill(String(user))
  await page.getByRole('button', { name: 'Become a device' }).click()
  await page.getByRole('status').getByText('online', { exact: true }).waitFor()
  // One of each way out arrives as a push; every one is stored as a name.
  const pushed = exits.map((exit, i) => exit(payloads[i]!))
  const tasks = new Map<string, number>()
  for (const text of pushed) {
    const message = { title: text, body: text, ext: { text } }
    tasks.set(text, await carillon.notify({ audience: { user_id: [user] }, message }))
    await page.locator('strong').filter({ hasText: text.trim() }).first().waitFor()
  }
  for (const name of hostile) await carillon.ok('/app/token/create', { token: carillon.admin, body: { name } })
  await page.goto(`${carillon.http}/#/settings?section=tokens`)
  await page.getByRole('row').nth(hostile.length).waitFor()
  t.assert.deepEqual(await unseenOn(page), [])

  for (const [text, task] of tasks) {
    await page.goto(`${carillon.http}/#/tasks/${task}`)
    await page.getByRole('heading', { level: 1 }).filter({ hasText: text.trim() }).waitFor()
  }
  t.assert.equal(await ran(page), undefined)
  t.assert.deepEqual(problems, [])
})
