import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import test, { type TestContext } from 'node:test'
import aws4 from 'aws4'
import { parseS3 } from '../config-files.ts'
import { s3Files } from './s3.ts'

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** A bucket that believes a request only if somebody else's signer signs it the same way. */
const startBucket = async (t: TestContext, accessKeyId: string, secretAccessKey: string) => {
  const objects = new Map<string, Buffer>()
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const { method = '', url = '', headers } = request
      const payload = String(headers['x-amz-content-sha256'])
      const signed = aws4.sign(
        {
          service: 's3', region: 'eu-central-1', method, path: url,
          headers: { Host: headers.host!, 'X-Amz-Content-Sha256': payload, 'X-Amz-Date': String(headers['x-amz-date']) },
        },
        { accessKeyId, secretAccessKey },
      )
      const isGenuine = headers.authorization === signed.headers!.Authorization && (method !== 'PUT' || payload === sha256(body))
      if (!isGenuine) return response.writeHead(403).end()
      if (method === 'PUT') objects.set(url, body)
      if (method === 'DELETE') objects.delete(url)
      if (method !== 'GET') return response.writeHead(method === 'PUT' ? 200 : 204).end()
      const object = objects.get(url)
      const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []
      return object ? response.writeHead(206).end(object.subarray(Number(start), Number(end) + 1)) : response.writeHead(404).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return { objects, host: `127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test('a file goes into the bucket, comes out in parts, and is gone when removed', async (t: TestContext) => {
  const { objects, host } = await startBucket(t, 'key', 'a/secret+')
  const files = s3Files(parseS3(`s3://key:a%2Fsecret%2B@${host}/a-bucket?region=eu-central-1&tls=off`), () => 1_794_712_124_516)
  const folder = await mkdtemp(join(tmpdir(), 'carillon-s3-'))
  t.after(() => rm(folder, { recursive: true }))
  const path = join(folder, 'body')
  const bytes = Buffer.from('some bytes of a picture')
  await writeFile(path, bytes)

  await files.put('abc', { path, size: bytes.length, sha256: sha256(bytes), type: 'image/png' })
  t.assert.deepEqual([...objects.keys()], ['/a-bucket/abc'])
  t.assert.equal(await text((await files.get('abc', { start: 5, end: 9 }))!), 'bytes')
  await files.remove('abc')
  t.assert.equal(await files.get('abc', { start: 0, end: 1 }), undefined)
})

test('a store that does not know us is a failure in words, without the secret', async (t: TestContext) => {
  const { host } = await startBucket(t, 'key', 'right')
  const files = s3Files(parseS3(`s3://key:wrong@${host}/a-bucket?region=eu-central-1&tls=off`), () => Date.now())
  await t.assert.rejects(files.remove('abc'), (error: Error) => /answered 403/.test(error.message) && !error.message.includes('wrong'))
})

test('the address of a bucket is checked, and told what is missing', (t: TestContext) => {
  for (const wrong of ['nonsense', 'https://host/bucket', 's3://host/bucket', 's3://key:secret@host/', 's3://key:secret@host/UPPER']) {
    t.assert.throws(() => parseS3(wrong), /must/, wrong)
  }
})
