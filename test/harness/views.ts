import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { settled, startBrowser, visit, watch } from './browser.ts'
import { type Carillon, startCarillon } from './carillon.ts'

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Something on every page, some of it long. Resolves to where the pages are. */
export const furnish = async (carillon: Carillon): Promise<string[]> => {
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

// Colours decide nothing but contrast: the second colour of a width is asked for that alone.
const looks = [
  { width: 1440, colorScheme: 'light', rules: undefined },
  { width: 1440, colorScheme: 'dark', rules: ['color-contrast'] },
  { width: 390, colorScheme: 'dark', rules: undefined },
  { width: 390, colorScheme: 'light', rules: ['color-contrast'] },
] as const

/** What is wrong with what is shown, in each width and colour. */
const faultsOf = async (page: Page, name: string, some: readonly (typeof looks)[number][] = looks): Promise<string[]> => {
  const faults: string[] = []
  await page.evaluate(axe)
  for (const { width, colorScheme, rules } of some) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor()
    const found = await page.evaluate<string[]>(`tester.faults(${JSON.stringify(rules)})`)
    faults.push(...found.map((fault) => `${name} ${width} ${colorScheme}: ${fault}`))
  }
  return faults
}

/** The buttons that open something over a page, as they are called in one language. */
export interface Openers {
  request: string
  newUser: string
  setUpFcm: string
  erase: string
  remove: string
}

const dialogsOver = (places: readonly string[], { request, newUser, setUpFcm, erase, remove }: Openers): [string, string][] => {
  const at = (beginning: string): string => places.find((place) => place.startsWith(beginning))!
  return [['/compose', request], ['/users', newUser], ['/certificates', setUpFcm], [at('/users/'), erase], [at('/devices/'), remove]]
}

/** Looks at every page in one language, and at what opens over it, light and dark, on a laptop and a phone; resolves to all that is wrong. */
export const lookAround = async (t: TestContext, locale: string, openers: Openers): Promise<string[]> => {
  const carillon = await startCarillon(t)
  const places = await furnish(carillon)
  const context = await startBrowser(t, { locale })
  const page = await context.newPage()
  const problems = watch(page)
  await page.goto(carillon.http)
  await settled(page)
  const faults = await faultsOf(page, 'sign-in')
  const body = { app_id: 'demo', token: carillon.admin }
  await context.request.post(`${carillon.http}/console/session`, { headers: { app_id: 'demo' }, data: body })
  await page.reload()
  await page.getByRole('navigation').first().waitFor()
  for (const place of places) {
    await visit(page, place)
    faults.push(...(await faultsOf(page, place)))
  }
  for (const [place, name] of dialogsOver(places, openers)) {
    await visit(page, place)
    await page.getByRole('main').getByRole('button', { name, exact: true }).click()
    await page.getByRole('dialog').waitFor()
    faults.push(...(await faultsOf(page, `${name} on ${place}`, looks.filter(({ rules }) => !rules))))
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  return [...faults, ...problems]
}
