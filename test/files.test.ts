import { createHash, createHmac } from 'node:crypto'
import test, { type TestContext } from 'node:test'
import { type Answer, type Carillon, type Envelope, type Login, startCarillon } from './harness/carillon.ts'

const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(1000, 7)])

const upload = async (carillon: Carillon, login: Login, name: string, body: Buffer, change: Record<string, string> = {}): Promise<Answer> => {
  const path = `/file/${encodeURIComponent(name)}`
  const text = `PUT\n${path}\n${createHash('sha256').update(body).digest('hex')}`
  const headers = {
    app_id: 'demo',
    'store-token': login.store_token,
    signature: createHmac('sha256', login.access_key_secret).update(text).digest('hex'),
    ...change,
  }
  const response = await fetch(carillon.http + path, { method: 'PUT', headers, body })
  return { status: response.status, headers: response.headers, ...((await response.json()) as Envelope) }
}

test('attachments are kept by whoever has a file token and the key, and served so that no browser runs them', async (t: TestContext) => {
  const carillon = await startCarillon(t)
  const login = await carillon.tokenFor(await carillon.addUser('ann'), 'phone')

  await t.test('an image gets a public address that answers the same bytes', async (t: TestContext) => {
    const kept = await upload(carillon, login, 'a picture.png', PNG)
    t.assert.equal(kept.code, 200, kept.message ?? '')
    const response = await fetch(kept.data.url)
    t.assert.deepEqual(Buffer.from(await response.arrayBuffer()), PNG)
    t.assert.equal(response.headers.get('content-type'), 'image/png')
    t.assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
    t.assert.match(response.headers.get('content-security-policy')!, /default-src 'none'; sandbox/)
    t.assert.match(response.headers.get('cache-control')!, /immutable/)
    const part = await fetch(kept.data.url, { headers: { range: 'bytes=1-3' } })
    t.assert.equal(part.status, 206)
    t.assert.equal(await part.text(), 'PNG')
    t.assert.equal((await fetch(kept.data.url, { headers: { range: 'bytes=5000-' } })).status, 416)
    t.assert.equal(await carillon.notify({ audience: 'all', message: { type: 'image', attachment_url: kept.data.url } }) > 0, true)
  })

  await t.test('a wrong token, key, name or content keeps nothing', async (t: TestContext) => {
    t.assert.equal((await upload(carillon, login, 'x.png', PNG, { 'store-token': 'cs_wrong' })).code, 10008)
    t.assert.equal((await upload(carillon, login, 'x.png', PNG, { signature: '00'.repeat(32) })).code, 10008)
    t.assert.equal((await upload(carillon, login, 'x.png', PNG, { app_id: 'nobody' })).code, 40000)
    const named = await upload(carillon, login, 'x.html', PNG)
    t.assert.equal(named.code, 10002)
    t.assert.match(named.message!, /name/)
    const looks = await upload(carillon, login, 'x.png', Buffer.from('<script>alert(1)</script>'))
    t.assert.equal(looks.code, 10002)
    t.assert.match(looks.message!, /body/)
    t.assert.equal((await fetch(`${carillon.http}/file/${'0'.repeat(48)}/x.png`)).status, 404)
  })

  await t.test('an image must be under 1 MB, other media at most 20 MB', async (t: TestContext) => {
    const large = (size: number, head: Buffer) => Buffer.concat([head, Buffer.alloc(size - head.length)])
    const head = PNG.subarray(0, 8)
    t.assert.equal((await upload(carillon, login, 'x.png', large(1024 * 1024 - 1, head))).code, 200)
    t.assert.equal((await upload(carillon, login, 'x.png', large(1024 * 1024, head))).code, 12002)
    const video = Buffer.from('\0\0\0\x18ftypmp42', 'latin1')
    t.assert.equal((await upload(carillon, login, 'x.mp4', large(20 * 1024 * 1024, video))).code, 200)
    t.assert.equal((await upload(carillon, login, 'x.mp4', large(20 * 1024 * 1024 + 1, video))).code, 41300)
  })

  await t.test('an admin keeps files for the app itself, which no user takes along', async (t: TestContext) => {
    const put = async (name: string, body: Buffer, headers: Record<string, string>): Promise<Envelope> =>
      (await fetch(`${carillon.http}/file/${name}`, { method: 'PUT', headers: { app_id: 'demo', ...headers }, body })).json() as Promise<Envelope>
    const kept = await put('banner.png', PNG, { 'access-token': carillon.admin })
    t.assert.equal(kept.code, 200, kept.message ?? '')
    t.assert.deepEqual(Buffer.from(await (await fetch(kept.data.url)).arrayBuffer()), PNG)
    const [entry] = await carillon.ok('/app/audit?limit=1', { token: carillon.admin })
    t.assert.deepEqual([entry.action, entry.detail], ['file.put', { name: 'banner.png', size: PNG.length }])
    t.assert.equal((await put('banner.png', PNG, { cookie: `carillon_session=${carillon.admin}` })).code, 200)
    t.assert.equal((await put('banner.png', PNG, { cookie: `carillon_session=${carillon.admin}`, 'sec-fetch-site': 'cross-site' })).code, 10003)
    t.assert.equal((await put('banner.png', PNG, {})).code, 10003)
    t.assert.equal((await put('banner.png', PNG, { 'access-token': 'ca_nobody' })).code, 10008)
    t.assert.equal((await put('banner.png', PNG, { 'access-token': login.token })).code, 10010)
    t.assert.equal((await put('banner.png', PNG, { 'access-token': carillon.admin, user_id: String(login.user_id) })).code, 10010)
    t.assert.match((await put('banner.html', PNG, { 'access-token': carillon.admin })).message!, /^name must end in /)
    t.assert.match((await put('banner.png', Buffer.from('<b>'), { 'access-token': carillon.admin })).message!, /^body /)
    t.assert.equal((await put('banner.png', Buffer.concat([PNG, Buffer.alloc(1024 * 1024)]), { 'access-token': carillon.admin })).code, 12002)
  })

  await t.test('a deleted user’s files are gone', async (t: TestContext) => {
    const kept = await upload(carillon, login, 'gone.png', PNG)
    await carillon.ok('/user/delete', { token: carillon.admin, body: { user_id: login.user_id } })
    t.assert.equal((await fetch(kept.data.url)).status, 404)
    t.assert.equal((await upload(carillon, login, 'late.png', PNG)).code, 10008)
  })
})
