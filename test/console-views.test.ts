// Once: what a page looks like does not depend on how many nodes serve it.
import { test } from 'node:test'
import { settled, signIn, startBrowser, tabThrough, visit } from './harness/browser.ts'
import { startCarillon } from './harness/carillon.ts'
import { furnish } from './harness/views.ts'

const FIRST_VIEW_BYTES = 300 * 1024

test('every control is reached with the Tab key', async (t: test.TestContext) => {
  const carillon = await startCarillon(t)
  const places = await furnish(carillon)
  const page = await (await startBrowser(t)).newPage()
  await signIn(page, { http: carillon.http, token: carillon.admin })
  const missed: string[] = []
  for (const place of places) {
    await visit(page, place)
    missed.push(...(await tabThrough(page)).map((control) => `${place}: ${control}`))
  }
  t.assert.deepEqual(missed, [])
})

test('a search that is waited for does not lead back to the page that was left', async (t: test.TestContext) => {
  const carillon = await startCarillon(t)
  const user = await carillon.addUser('ann')
  const page = await (await startBrowser(t)).newPage()
  await signIn(page, { http: carillon.http, token: carillon.admin, at: '/users' })
  await settled(page)
  // The next page is long in coming.
  const [isAsked, comes] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await page.route(/\/user-[^/]*\.js$/, async (route) => {
    isAsked.resolve()
    await comes.promise
    await route.continue()
  })
  await page.clock.install()
  await page.getByRole('searchbox').fill('bob')
  await page.evaluate(`tester.go('/users/${user}')`)
  await isAsked.promise
  await page.clock.runFor(1_000)
  comes.resolve()
  await page.getByRole('heading', { level: 1, name: 'ann' }).waitFor()
})

test('the way in and the overview together cost less than 300 KB', async (t: test.TestContext) => {
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
