import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

const flags = [
  '--headless=new', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
]

/** What takes longer has failed; a busy machine is slow. */
const PATIENCE_MS = 20_000

/** How the page is looked at. */
export type Look = Pick<BrowserContextOptions, 'viewport' | 'colorScheme' | 'locale' | 'deviceScaleFactor' | 'timezoneId'>

/** A real Chromium with a profile of its own, both gone when the test ends. */
export const startBrowser = async (t: { after(work: () => unknown): void }, look: Look = {}): Promise<BrowserContext> => {
  const profile = await mkdtemp(join(tmpdir(), 'carillon-browser-'))
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: '/usr/bin/chromium',
    chromiumSandbox: false,
    args: flags,
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    ...look,
  })
  context.setDefaultTimeout(PATIENCE_MS)
  await context.addInitScript({ path: join(import.meta.dirname, 'in-page.js') })
  t.after(async () => {
    await context.close()
    await rm(profile, { recursive: true, force: true, maxRetries: 5 })
  })
  return context
}

/** Collects what must never happen on a page: errors, scripts that were not ours, what the policy refused. */
export const watch = (page: Page): string[] => {
  const problems: string[] = []
  page.on('pageerror', ({ message }) => problems.push(`error: ${message}`))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(`${message.type()}: ${message.text()} ${message.location().url}`)
  })
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  return problems
}

/** Signs in with an admin token; resolves on the page that was asked for. */
export const signIn = async (page: Page, { http, token, at = '/' }: { http: string; token: string; at?: string }): Promise<void> => {
  await page.goto(`${http}/#${at}`)
  await page.getByLabel('App ID').fill('demo')
  await page.getByLabel('Admin token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation').first().waitFor()
}

/** Goes to one of the console's pages; resolves when nothing on it is on its way any more. */
export const visit = async (page: Page, place: string): Promise<void> => {
  await page.evaluate(`tester.go(${JSON.stringify(place)})`)
  await settled(page)
}

/** Resolves when nothing on the page is on its way any more. */
export const settled = async (page: Page): Promise<void> => {
  await page.locator('h1:not([data-left])').waitFor()
  await page.locator('[aria-busy=true], .mantine-Skeleton-root').first().waitFor({ state: 'detached' })
}

const MOST_STOPS = 400

/** Presses Tab until the focus is where it began; resolves to the controls that it never came to. */
export const tabThrough = async (page: Page): Promise<string[]> => {
  await page.evaluate('tester.beginTour()')
  for (let pressed = 0; pressed < MOST_STOPS; pressed += 1) {
    await page.keyboard.press('Tab')
    if (await page.evaluate('tester.tour.isRound')) break
  }
  return page.evaluate('tester.missed()')
}
