import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { opening, programme } from './programme.ts'
import { type Stage, setStage } from './stage.ts'
import { meetNeeds } from '../../scripts/needs.ts'

// npm run screenshots: the console's pages with the demo's data, as docs/console.md shows them.
const DEVICES = 800
const ACTS = 12
const folder = join(import.meta.dirname, '../../docs/screenshots')

const unmet = meetNeeds('the screenshots', [
  { command: 'chromium', debian: 'chromium' },
  { file: '/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc', debian: 'fonts-noto-cjk' },
])
if (unmet !== undefined) throw new Error(unmet)

/** Sends what the demo sends, and waits until all of it has gone its way. */
const perform = async ({ caller, userIds }: Stage): Promise<number> => {
  const { task_id: first } = await caller.notify(opening.notify)
  let last = first
  let acts = 0
  for (const { notify } of programme(userIds, Date.now)) {
    if ((acts += 1) > ACTS) break
    last = (await caller.notify(notify)).task_id
  }
  while ((await caller.task(last)).state !== 'done') await new Promise((resolve) => setTimeout(resolve, 200))
  return first
}

/** What stands on a page before its picture is taken. */
const write = async (page: Page): Promise<void> => {
  await page.getByRole('tab', { name: 'All devices' }).click()
  await page.getByRole('textbox', { name: 'Title', exact: true }).fill('The bells are ringing')
  await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Evensong begins at six. Doors open half an hour before.')
  await page.getByText(/ devices$/).first().waitFor()
  await page.getByText('Asking what each vendor makes of it').waitFor({ state: 'detached' })
}

interface Picture {
  name: string
  place: string
  locale?: string
  dark?: boolean
  narrow?: boolean
  prepare?(page: Page): Promise<void>
}

const picturesOf = ({ caller }: Stage, task: number): Picture[] => [
  { name: 'overview', place: '/' },
  { name: 'overview-zh-dark', place: '/', locale: 'zh-CN', dark: true },
  { name: 'overview-phone', place: '/', narrow: true },
  { name: 'compose', place: '/compose', prepare: write },
  { name: 'tasks', place: '/tasks' },
  { name: 'task', place: `/tasks/${task}` },
  { name: 'devices', place: '/devices' },
  { name: 'users', place: '/users' },
  { name: 'certificates', place: '/certificates' },
  { name: 'settings', place: '/settings' },
  {
    name: 'browser',
    place: '/browser',
    prepare: async (page) => {
      await page.getByLabel('User ID').fill('1')
      await page.getByRole('button', { name: 'Become a device' }).click()
      await page.getByRole('status').getByText('online', { exact: true }).waitFor()
      await caller.notify({ audience: { user_id: [1] }, message: { title: 'Evensong', body: 'At six, in the tower.' } })
      await page.getByText('At six, in the tower.', { exact: true }).waitFor()
    },
  },
]

const take = async ({ url, admin }: Stage, { name, place, locale = 'en-GB', dark, narrow, prepare }: Picture): Promise<void> => {
  const profile = await mkdtemp(join(tmpdir(), 'carillon-browser-'))
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: '/usr/bin/chromium',
    args: ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
    viewport: narrow ? { width: 390, height: 844 } : { width: 1280, height: 800 },
    colorScheme: dark ? 'dark' : 'light',
    locale,
  })
  const page = context.pages()[0] ?? (await context.newPage())
  const body = { app_id: admin.appId, token: admin.accessToken }
  await context.request.post(`${url}/console/session`, { headers: { app_id: admin.appId }, data: body })
  await page.goto(`${url}/#${place}`)
  await page.locator('h1').waitFor()
  await page.locator('[aria-busy=true], .mantine-Skeleton-root').first().waitFor({ state: 'detached' })
  await prepare?.(page)
  await page.waitForLoadState('load')
  await page.mouse.move(0, 0)
  await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled', caret: 'hide' })
  await context.close()
  await rm(profile, { recursive: true, force: true, maxRetries: 5 })
  console.log(`${name}.png`)
}

const closings: (() => unknown)[] = []
try {
  await mkdir(folder, { recursive: true })
  const ending = new AbortController()
  const stage = await setStage({
    options: { seconds: Infinity, devices: DEVICES, data: undefined },
    closings, signal: ending.signal, say: console.log, onLog: () => {}, onEnd: (why) => { throw why },
  })
  const task = await perform(stage)
  for (const picture of picturesOf(stage, task)) await take(stage, picture)
} finally {
  for (const closing of closings.toReversed()) await closing()
}
