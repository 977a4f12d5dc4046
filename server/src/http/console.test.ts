import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { openDoor } from './open-door.ts'
import { operationsRoutes } from './operations.ts'

const page = '<!doctype html><meta name="csp-nonce" nonce="{{nonce}}"><script type="module" src="/assets/index-AbC1_x-9.js"></script>'
const script = 'console.log("a bell");'.repeat(40)

/** A door with a page behind it, as the build leaves it. */
const openConsole = async (t: TestContext, { built = true } = {}) => {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-console-'))
  t.after(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'secret.js'), 'outside')
  const dist = join(folder, 'dist')
  if (built) {
    const assets = join(dist, 'assets')
    await mkdir(assets, { recursive: true })
    await writeFile(join(dist, 'index.html'), page)
    await writeFile(join(assets, 'index-AbC1_x-9.js'), script)
    await writeFile(join(assets, 'index-AbC1_x-9.js.br'), brotliCompressSync(script))
    await writeFile(join(assets, 'index-AbC1_x-9.js.gz'), gzipSync(script))
    await writeFile(join(assets, 'parts.words-1.js'), script)
    await writeFile(join(assets, 'bell-1.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
    await writeFile(join(assets, 'notes.txt'), 'not of a kind that is served')
    await symlink(join(folder, 'secret.js'), join(dist, 'link.js'))
  }
  const routes = operationsRoutes({ checks: async () => [] })
  return openDoor(t, routes, { consoleFolder: dist })
}

/** Asks without what fetch does by itself: it writes paths anew and unpacks what it gets. */
const ask = (port: number, path: string, headers: Record<string, string> = {}, method = 'GET') =>
  new Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
    request({ port, host: '127.0.0.1', path, headers, method }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(parts) }))
    })
      .on('error', reject)
      .end()
  })

test('the page is at /, asked for anew each time, and lets nothing run but its own scripts', async (t) => {
  const { url } = await openConsole(t)
  const answer = await fetch(`${url}/`)
  t.assert.equal(answer.status, 200)
  t.assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8')
  t.assert.equal(answer.headers.get('cache-control'), 'no-cache')
  t.assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
  t.assert.equal(answer.headers.get('referrer-policy'), 'no-referrer')
  t.assert.equal(answer.headers.get('cross-origin-opener-policy'), 'same-origin')
  const policy = new Map(answer.headers.get('content-security-policy')!.split('; ').map((rule) => rule.split(/ (.*)/s) as [string, string]))
  t.assert.equal(policy.get('default-src'), "'none'")
  t.assert.equal(policy.get('script-src'), "'self'")
  t.assert.equal(policy.get('connect-src'), "'self'")
  t.assert.equal(policy.get('frame-ancestors'), "'none'")
  t.assert.equal(policy.get('base-uri'), "'none'")
  t.assert.equal(policy.get('form-action'), "'self'")
  t.assert.doesNotMatch(answer.headers.get('content-security-policy')!, /unsafe/)
})

test('the nonce of the styles is in page and policy alike, and never the same twice', async (t) => {
  const { url } = await openConsole(t)
  const nonces = new Set<string>()
  for (let i = 0; i < 2; i += 1) {
    const answer = await fetch(`${url}/`)
    const [, nonce] = /nonce="([^"]+)"/.exec(await answer.text())!
    t.assert.match(nonce!, /^[\w-]{22}$/)
    t.assert.match(answer.headers.get('content-security-policy')!, new RegExp(`style-src 'self' 'nonce-${nonce}'`))
    nonces.add(nonce!)
  }
  t.assert.equal(nonces.size, 2)
})

test('files are kept for good, and come compressed to who takes that', async (t) => {
  const { port } = await openConsole(t)
  const path = '/assets/index-AbC1_x-9.js'
  for (const [accepted, coding] of [
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=1.0, br;q=0', 'gzip'],
    ['identity', undefined],
    [undefined, undefined],
  ] as const) {
    const { status, headers, body } = await ask(port, path, accepted === undefined ? {} : { 'accept-encoding': accepted })
    t.assert.deepEqual([status, headers['content-encoding']], [200, coding])
    t.assert.equal(headers['content-type'], 'text/javascript; charset=utf-8')
    t.assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
    t.assert.equal(headers['x-content-type-options'], 'nosniff')
    t.assert.equal(headers.vary, 'accept-encoding')
    t.assert.equal(body.length, Number(headers['content-length']))
    const plain = { br: brotliCompressSync(script), gzip: gzipSync(script) }
    t.assert.deepEqual(body, coding ? plain[coding] : Buffer.from(script))
    const again = await ask(port, path, { 'accept-encoding': accepted ?? '', 'if-none-match': String(headers.etag) })
    t.assert.deepEqual([again.status, again.body.length], [304, 0])
  }
  const picture = await ask(port, '/assets/bell-1.svg', { 'accept-encoding': 'br' })
  t.assert.deepEqual([picture.status, picture.headers['content-type'], picture.headers['content-encoding']], [200, 'image/svg+xml', undefined])
})

test('HEAD answers as GET does, without the body', async (t) => {
  const { port } = await openConsole(t)
  for (const path of ['/', '/assets/bell-1.svg', '/assets/parts.words-1.js']) {
    const { status, headers, body } = await ask(port, path, {}, 'HEAD')
    t.assert.deepEqual([status, body.length], [200, 0])
    t.assert.equal(Number(headers['content-length']) > 0, true)
  }
})

test('nothing but the files of the build can be had, however the path is written', async (t) => {
  const { port } = await openConsole(t)
  for (const path of [
    '/assets/../index.html', '/assets/..%2findex.html', '/assets/%2e%2e/%2e%2e/secret.js', '/assets/..%2f..%2fsecret.js', '/assets/..%5c..%5csecret.js',
    '/assets/%2e%2e%2flink.js', '/assets/%2fetc%2fpasswd', '/assets/index-AbC1_x-9.js.br', '/assets/index-AbC1_x-9.js%00', '/assets/.hidden.js',
    '/assets/notes.txt', '/assets/missing-1.js', '/assets/', '/assets', '/assets/x/y.js', '/index.html', '/link.js', '/../secret.js',
  ]) {
    const { status, headers, body } = await ask(port, path, { accept: 'text/html' })
    t.assert.equal(status === 404 || status === 400, true, path)
    t.assert.equal(headers['content-type'], 'application/json', path)
    t.assert.equal([10002, 40400].includes((JSON.parse(body.toString()) as { code: number }).code), true, path)
  }
})

test('a browser that asks for a path of the API, or for one nobody knows, gets an envelope', async (t) => {
  const { port } = await openConsole(t)
  for (const [path, code] of [['/health/live', 200], ['/tasks', 40400], ['/console', 40400], ['/nope', 40400]] as const) {
    const { headers, body } = await ask(port, path, { accept: 'text/html,application/xhtml+xml' })
    t.assert.equal(headers['content-type'], 'application/json')
    t.assert.equal((JSON.parse(body.toString()) as { code: number }).code, code)
  }
  const posted = await ask(port, '/', {}, 'POST')
  t.assert.deepEqual([posted.status, posted.headers.allow], [405, 'GET, HEAD'])
})

test('without a build the page says how to make one, and the API works', async (t) => {
  const { url } = await openConsole(t, { built: false })
  const answer = await fetch(`${url}/`)
  t.assert.equal(answer.status, 404)
  t.assert.match(await answer.text(), /npm run build -w console/)
  t.assert.match(answer.headers.get('content-security-policy')!, /default-src 'none'/)
  t.assert.equal((await fetch(`${url}/health/live`)).status, 200)
  t.assert.equal((await fetch(`${url}/assets/index-AbC1_x-9.js`)).status, 404)
})
