import { CarillonError, envelopeOf, type Place } from './call.ts'
import type { TokenRecord } from './answers.ts'

const UPLOAD_MS = 60_000

/**
 * Puts a file where a push can show it: an image under 1 MB, audio or video up to 20 MB. Resolves to its public address,
 * for `attachment_url`. `record`: the login's, whose file token and key sign the upload.
 */
export const attach = async (
  place: Pick<Place, 'url' | 'appId' | 'fetch' | 'timeoutMs'>,
  record: Pick<TokenRecord, 'store_token' | 'access_key_secret'>,
  name: string,
  file: Uint8Array<ArrayBuffer>,
): Promise<string> => {
  const path = `/file/${encodeURIComponent(name)}`
  const { url, appId, timeoutMs = UPLOAD_MS, fetch: ask = fetch } = place
  const signature = await signed(record.access_key_secret, `PUT\n${path}\n${hex(await crypto.subtle.digest('SHA-256', file))}`)
  const headers = { 'app-id': appId, 'store-token': record.store_token, signature, 'content-type': 'application/octet-stream' }
  const response = await ask(url.replace(/\/+$/, '') + path, { method: 'PUT', headers, body: file, signal: AbortSignal.timeout(timeoutMs) })
  const { code, data, message } = envelopeOf<{ url: string }>(await response.text(), path, response.status)
  if (code !== 200) throw new CarillonError(code, message ?? `${path} answered ${code}`, response.status)
  return data.url
}

const signed = async (secret: string, text: string): Promise<string> => {
  const bytes = new TextEncoder()
  const key = await crypto.subtle.importKey('raw', bytes.encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return hex(await crypto.subtle.sign('HMAC', key, bytes.encode(text)))
}

const hex = (bytes: ArrayBuffer): string => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')
