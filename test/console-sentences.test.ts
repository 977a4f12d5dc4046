// Once: what a page says does not depend on how many nodes serve it.
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { settled, startBrowser, visit, watch } from './harness/browser.ts'
import { startVendorWorld, vendorToken, type VendorWorld } from './harness/vendor-world.ts'

const timeout = 180_000

/** Three English words in a row are a sentence of ours: what the test itself writes is Chinese. */
const english = /\b[A-Za-z]{2,}(?:[ ,:;]+(?:[a-z]{2,}|a)){2,}/g

/** What is left of English on a page, but for what vendors said, which is quoted as it came. */
const englishOn = async (page: Page, quoted: readonly string[]): Promise<string[]> => {
  const shown = [page.getByRole('main'), page.getByRole('dialog')]
  const texts = (await Promise.all(shown.map((part) => part.allInnerTexts()))).flat()
  const own = quoted.reduce((text, words) => text.replaceAll(words, ''), texts.join('\n'))
  return own.match(english) ?? []
}

const openInChinese = async (t: test.TestContext, { carillon }: VendorWorld): Promise<{ page: Page; problems: string[] }> => {
  const context = await startBrowser(t, { locale: 'zh-CN' })
  const page = await context.newPage()
  const problems = watch(page)
  const data = { app_id: 'demo', token: carillon.admin }
  await context.request.post(`${carillon.http}/console/session`, { headers: { app_id: 'demo' }, data })
  await page.goto(carillon.http)
  await page.getByRole('navigation').first().waitFor()
  return { page, problems }
}

const promise = 'a Chinese page says in Chinese what the server tells, and quotes vendors as they spoke'

test(promise, { timeout }, async (t: test.TestContext) => {
  const world = await startVendorWorld(t, { vendors: ['xiaomi', 'huawei', 'honor'], env: { CARILLON_PUBLIC_URL: '' } })
  const { carillon } = world
  const admin = { token: carillon.admin }
  await world.setCertificate('xiaomi', { app_secret: 'bm90IHRoZSBvbmUgeW91IGtub3c=' })
  const wrong = await world.addDevice({ xiaomi: vendorToken('xiaomi') })
  const refused = await world.addDevice({ huawei: vendorToken('huawei', 'E80100016-') })
  const silent = await world.addDevice({})
  await carillon.ok('/user/push', { token: silent.token, body: { enabled: false } })
  const message = { title: '晚祷', body: '六点'.repeat(300), big_text: '长文', android: { sound: 'bell' } }
  const task = await carillon.notify({ audience: 'all', message, setting: { distribution_strategy: 'ospush_only' } })
  const trace = (device: { push_token: string }) =>
    carillon.ok(`/push/task/${task}/trace?push_token=${device.push_token}`, admin)
  const reasonsOf = async (device: { push_token: string }): Promise<any[]> =>
    (await trace(device)).steps.flatMap(({ reason }: any) => reason ?? [])
  const [denied] = await carillon.until(() => reasonsOf(wrong), (reasons) => reasons.length > 0)
  const [turnedDown] = await carillon.until(() => reasonsOf(refused), (reasons) => reasons.length > 0)
  t.assert.deepEqual([denied.name, turnedDown.name], ['denied', 'refused'])
  const quoted = [denied.values.said, turnedDown.values.said]
  const { page, problems } = await openInChinese(t, world)
  const left: Record<string, string[]> = {}
  const look = async (where: string, ...says: string[]): Promise<void> => {
    for (const words of says) await page.getByText(words).first().waitFor()
    left[where] = await englishOn(page, quoted)
  }

  await visit(page, '/')
  await look('alarms and lanes', `厂商不接受我们的凭据（${denied.values.said}）`)
  for (const [who, device, words] of [
    ['denied', wrong, `厂商返回 ${denied.values.said}`], ['refused', refused, `厂商返回 ${turnedDown.values.said}`],
    ['not sent', silent, '用户已关闭推送'],
  ] as const) {
    await visit(page, `/tasks/${task}?device=${device.push_token}`)
    await look(`trace: ${who}`, words)
  }
  await visit(page, `/devices/${silent.push_token}`)
  await look('last pushes', '用户已关闭推送')
  t.assert.deepEqual(problems, [])
  await visit(page, `/tasks/${task}?device=cp_nobody`)
  await look('a refused call', '没有这台设备')
  t.assert.ok(problems.every((problem) => problem.includes('404')), problems.join('\n'))
  problems.length = 0

  await visit(page, '/certificates')
  await page.getByRole('button', { name: '检查 小米' }).click()
  await look('check', '厂商不接受这些凭据')
  await page.getByRole('button', { name: '替换 华为' }).click()
  await look('form', '与回执地址一同设置，用于校验回执。')
  const form = page.getByRole('dialog')
  await form.getByRole('textbox', { name: '名称', exact: true }).fill('main')
  await form.getByRole('textbox', { name: 'OAuth 2.0 客户端 ID' }).fill('104000001')
  await form.getByLabel('OAuth 2.0 客户端密钥').fill('a'.repeat(32))
  await form.getByRole('textbox', { name: '回调用户名' }).fill('carillon')
  await form.getByRole('button', { name: '保存' }).click()
  await look('warnings', '须与 options.receipt_key 同时设置才有效')
  await page.keyboard.press('Escape')

  await visit(page, `/compose?task=${task}`)
  await look('reach', '用户已关闭推送')
  for (const channel of ['荣耀', 'OPPO', 'vivo']) {
    await page.getByRole('tab', { name: channel }).first().click()
    await settled(page)
    await look(`preflight: ${channel}`, '该厂商不支持此项')
  }

  const shown = { distribution_strategy: 'ospush_only', dry_run: true }
  const silently = await carillon.notify({ audience: 'all', message: { type: 'cmd', ext: { a: 1 } }, setting: shown })
  await visit(page, `/compose?task=${silently}`)
  for (const [channel, words] of [
    ['OPPO', '不支持此消息：该厂商无法传递不展示内容的消息'], ['魅族', '可用证书选项 pass_through 尝试发送'],
  ] as const) {
    await page.getByRole('tab', { name: channel }).first().click()
    await look(`not carried: ${channel}`, words)
  }

  await carillon.ok('/app/setting', { ...admin, method: 'PUT', body: { push_enabled: false } })
  await visit(page, '/')
  await look('push is off', 'notify 会被拒绝')
  t.assert.deepEqual(Object.entries(left).filter(([, words]) => words.length > 0), [])
  t.assert.deepEqual(problems, [])
})
