// Once: what a page looks like does not depend on how many nodes serve it.
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { signIn, startBrowser, tabThrough, watch } from './harness/browser.ts'
import { type Carillon, startCarillon } from './harness/carillon.ts'

const FIRST_VIEW_BYTES = 300 * 1024

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Something on every page, some of it long. Resolves to where the pages are. */
const furnish = async (carillon: Carillon): Promise<string[]> => {
  const token = carillon.admin
  const user = await carillon.addUser('a-name-that-is-as-long-as-some-people-choose-them-without-any-space')
  const device = await carillon.tokenFor(user, 'phone')
  await carillon.ok('/user/push/tag', { token: device.token, body: { tags: ['news', 'a tag of several words'] } })
  await carillon.ok('/push/certificate', {
    token, method: 'PUT', body: { provider: 3, name: 'com.example.bells', app_secret: randomBytes(24).toString('base64') },
  })
  await carillon.ok('/app/webhook', { token, method: 'PUT', body: { url: `${carillon.http}/nowhere` } })
  const task = await carillon.notify({ audience: 'all', message: { title: 'W'.repeat(90), body: 'Evensong at six, '.repeat(20) } })
  await carillon.notify({ audience: { tag: ['nobody'] }, message: { title: '晚祷' } })
  return [
    '/', '/compose', '/tasks', `/tasks/${task}?device=${device.push_token}`, '/devices', `/devices/${device.push_token}`,
    '/users', `/users/${user}`, '/certificates', '/settings', '/settings?section=tokens', '/settings?section=webhook',
    '/settings?section=audit', '/browser', '/nowhere',
  ]
}

/** Resolves when nothing on the page is on its way any more. */
const settled = async (page: Page): Promise<void> => {
  await page.locator('h1').waitFor()
  await page.locator('[aria-busy=true], .mantine-Skeleton-root').first().waitFor({ state: 'detached' })
}

const looks = [
  { width: 1440, colorScheme: 'light' }, { width: 1440, colorScheme: 'dark' },
  { width: 390, colorScheme: 'dark' }, { width: 390, colorScheme: 'light' },
] as const

/** What is wrong with what is shown, in each width and colour. */
const faultsOf = async (page: Page, name: string): Promise<string[]> => {
  const faults: string[] = []
  await page.evaluate(axe)
  for (const { width, colorScheme } of looks) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor()
    const found = await page.evaluate(async () => {
      for (const animation of document.getAnimations()) if (animation.effect?.getComputedTiming().endTime !== Infinity) animation.finish()
      const { violations } = await (window as any).axe.run(document, { resultTypes: ['violations'] })
      const wide = document.documentElement.scrollWidth - innerWidth
      return [
        ...violations
          .filter(({ impact }: any) => impact === 'serious' || impact === 'critical')
          .map(({ id, nodes }: any) => `${id}: ${nodes.map(({ html, any }: any) => `${html} ${any[0]?.message ?? ''}`).slice(0, 3).join(' | ')}`),
        ...(wide > 0 ? [`scrolls sideways by ${wide} px`] : []),
      ]
    })
    if (process.env.K5) console.error(name, width, colorScheme, found, Date.now() % 1e6)
    faults.push(...found.map((fault: string) => `${name} ${width} ${colorScheme}: ${fault}`))
  }
  return faults
}

test('every page in both languages, light and dark, on a laptop and a phone, can be used by everybody', { timeout: 110_000 }, async (t) => {
  const carillon = await startCarillon(t)
  const places = await furnish(carillon)
  const faults: string[] = []
  for (const locale of ['en-GB', 'zh-CN']) {
    const context = await startBrowser(t, { locale })
    const page = await context.newPage()
    const problems = watch(page)
    await page.goto(carillon.http)
    await settled(page)
    faults.push(...(await faultsOf(page, `${locale} sign-in`)))
    await context.request.post(`${carillon.http}/console/session`, { headers: { app_id: 'demo' }, data: { app_id: 'demo', token: carillon.admin } })
    await page.reload()
    for (const place of places) {
      await page.evaluate((to) => location.assign(`/#${to}`), place)
      await settled(page)
      faults.push(...(await faultsOf(page, `${locale} ${place}`)))
    }
    faults.push(...problems.map((problem) => `${locale}: ${problem}`))
    await context.close()
  }
  t.assert.deepEqual(faults, [])
})

test('every control is reached with the Tab key', async (t) => {
  const carillon = await startCarillon(t)
  const places = await furnish(carillon)
  const page = await (await startBrowser(t)).newPage()
  await signIn(page, { http: carillon.http, token: carillon.admin })
  const missed: string[] = []
  for (const place of places) {
    await page.evaluate((to) => location.assign(`/#${to}`), place)
    await settled(page)
    missed.push(...(await tabThrough(page)).map((control) => `${place}: ${control}`))
  }
  t.assert.deepEqual(missed, [])
})

test('the way in and the overview together cost less than 300 KB', async (t) => {
  const carillon = await startCarillon(t)
  const context = await startBrowser(t)
  const page = await context.newPage()
  const network = await context.newCDPSession(page)
  await network.send('Network.enable')
  let bytes = 0
  network.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength))
  await signIn(page, { http: carillon.http, token: carillon.admin })
  await page.getByRole('img', { name: 'The last hour' }).waitFor()
  await settled(page)
  t.diagnostic(`${(bytes / 1024).toFixed(1)} KB`)
  t.assert.ok(bytes > 0 && bytes < FIRST_VIEW_BYTES, `${bytes} bytes`)
})
