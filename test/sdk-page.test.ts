import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { startCarillon } from './harness/carillon.ts'

const serve = fileURLToPath(new URL('../sdk/example/serve.ts', import.meta.url))

/** The example as `npm run example -w sdk` starts it; resolves to the page's address. */
const startExample = async (t: test.TestContext, server: string): Promise<string> => {
  const args = ['--disable-warning=ExperimentalWarning', serve, '--port', '0', '--server', server]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill())
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return /http:\/\/[\d.:]+/.exec(line)![0]
}

test('the example page logs in, becomes a device, shows what arrives, reports it and sets tags', async (t) => {
  const carillon = await startCarillon(t)
  const address = await startExample(t, carillon.http)
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
      '--disable-background-networking', '--disable-component-update', '--disable-sync',
    ],
  })
  t.after(() => browser.close())
  const page = await browser.newPage({ viewport: { width: 1000, height: 640 } })
  const problems: string[] = []
  page.on('pageerror', ({ message }) => problems.push(message))
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))

  await page.goto(address)
  await page.getByLabel('User name').fill('ann')
  await page.getByLabel('Password').fill('correct horse')
  await page.getByRole('button', { name: 'Register and log in' }).click()
  await page.locator('#state[data-kind=online]').waitFor()

  const task = await carillon.notify({ audience: 'all', message: { title: 'Grüße', body: 'an alle' } })
  const card = page.locator('#pushes > li', { hasText: 'Grüße' })
  await card.waitFor()
  t.assert.match(await card.innerText(), new RegExp(`an alle\\s+Task ${task},`))
  await card.getByRole('button', { name: 'Click' }).click()
  await card.getByText('Click taken').waitFor()
  const { list } = await carillon.ok('/user/list', { token: carillon.admin })
  const [device] = await carillon.ok('/user/device/list', { token: carillon.admin, user: list[0].user_id })
  await carillon.until(() => carillon.trace(task, device.push_token), (steps) => steps.includes('has clicked it'))

  await page.getByLabel('Another one').fill('news')
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByRole('button', { name: 'Remove news' }).waitFor()
  const toTag = await carillon.notify({ audience: { tag: ['news'] }, message: { title: 'News' } })
  await page.locator('#pushes > li', { hasText: `Task ${toTag},` }).waitFor()

  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.locator('#pushes > li', { hasText: 'from this very page' }).waitFor()
  await page.getByText('1 received').waitFor()
  t.assert.deepEqual(problems, [])
})
