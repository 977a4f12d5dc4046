import { createHash, createHmac } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import type { S3Place } from '../config-files.ts'
import type { Files } from './files.ts'

const EMPTY_SHA256 = createHash('sha256').digest('hex')
const ANSWER_MS = 60_000

/** A bucket of a store that speaks S3, addressed by path, which all of them understand. */
export const s3Files = (place: S3Place, now: () => number): Files => {
  const call = async (method: string, key: string, payloadHash: string, init: RequestInit = {}): Promise<Response> => {
    const path = `/${place.bucket}/${key}`
    const headers = { ...(init.headers as Record<string, string>), ...signed(place, method, path, payloadHash, new Date(now())) }
    return fetch(place.origin + path, { ...init, method, headers, redirect: 'error', signal: AbortSignal.timeout(ANSWER_MS) })
  }
  const failed = async (response: Response, what: string): Promise<Error> => {
    await response.body?.cancel()
    return new Error(`the file store answered ${response.status} when asked to ${what}`)
  }
  return {
    async put(key, { path, size, sha256, type }) {
      const response = await call('PUT', key, sha256, {
        body: Readable.toWeb(createReadStream(path)) as ReadableStream,
        duplex: 'half',
        headers: { 'content-length': String(size), 'content-type': type },
      } as RequestInit)
      if (!response.ok) throw await failed(response, 'keep a file')
      await response.body?.cancel()
    },
    async get(key, { start, end }) {
      const response = await call('GET', key, EMPTY_SHA256, { headers: { range: `bytes=${start}-${end}` } })
      if (response.status === 404) {
        await response.body?.cancel()
        return undefined
      }
      if (!response.ok || !response.body) throw await failed(response, 'read a file')
      return Readable.fromWeb(response.body)
    },
    async remove(key) {
      const response = await call('DELETE', key, EMPTY_SHA256)
      if (!response.ok && response.status !== 404) throw await failed(response, 'remove a file')
      await response.body?.cancel()
    },
  }
}

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** AWS Signature Version 4 over method, path, host, date and payload. Keys and bucket names need no escaping. */
export const signed = (place: S3Place, method: string, path: string, payloadHash: string, date: Date): Record<string, string> => {
  const stamp = date.toISOString().replace(/[-:]|\.\d+/g, '')
  const day = stamp.slice(0, 8)
  const scope = `${day}/${place.region}/s3/aws4_request`
  const { host } = new URL(place.origin)
  const names = 'host;x-amz-content-sha256;x-amz-date'
  const request = [method, path, '', `host:${host}`, `x-amz-content-sha256:${payloadHash}`, `x-amz-date:${stamp}`, '', names, payloadHash].join('\n')
  const toSign = ['AWS4-HMAC-SHA256', stamp, scope, createHash('sha256').update(request).digest('hex')].join('\n')
  const key = ['s3', 'aws4_request'].reduce(hmac, hmac(hmac(`AWS4${place.secretKey}`, day), place.region))
  const signature = hmac(key, toSign).toString('hex')
  return {
    'x-amz-date': stamp,
    'x-amz-content-sha256': payloadHash,
    authorization: `AWS4-HMAC-SHA256 Credential=${place.accessKey}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  }
}
