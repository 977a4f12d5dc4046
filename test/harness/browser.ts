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

/** Presses Tab until the focus is where it began; resolves to the controls that it never came to. */
export const tabThrough = async (page: Page): Promise<string[]> => {
  const MOST = 400
  await page.evaluate(() => {
    ;(document.activeElement as HTMLElement | null)?.blur()
    const reached = new Set<Element>()
    Object.assign(window, { reached, rounds: 0 })
    document.addEventListener('focusin', ({ target }) => {
      if (target === (window as any).first) (window as any).rounds += 1
      ;(window as any).first ??= target
      reached.add(target as Element)
    })
  })
  for (let pressed = 0; pressed < MOST; pressed += 1) {
    await page.keyboard.press('Tab')
    if ((await page.evaluate(() => (window as any).rounds)) > 0) break
  }
  return page.evaluate(() => {
    const { reached } = window as unknown as { reached: Set<Element> }
    // Of tabs and of radio buttons one is a stop; arrow keys lead to the others.
    const isOneOfGroup = (control: Element): boolean =>
      control.matches('[role=tab], [type=radio]') &&
      [...reached].some((other) => other.matches('[role=tab], [type=radio]') && other.closest('[role=tablist], [role=radiogroup]') === control.closest('[role=tablist], [role=radiogroup]'))
    return [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [role=button], [role=tab], [tabindex="0"]')]
      .filter((control) => control.checkVisibility({ visibilityProperty: true }) && !control.matches(':disabled, [type=hidden]') && !control.closest('[aria-hidden=true], [inert]'))
      .filter((control) => !reached.has(control) && !isOneOfGroup(control))
      .map((control) => control.outerHTML.slice(0, 200))
  })
}
