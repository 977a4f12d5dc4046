import { hash } from 'node:crypto'
import { drawRandom } from './random.ts'

/** The first letters say what a secret is when it turns up in a log or a repository. */
const prefixes = { admin: 'ca_', user: 'cu_', push: 'cp_', store: 'cs_', fileKey: 'ck_' } as const

const spell = (kind: keyof typeof prefixes, bytes: Buffer): string => prefixes[kind] + bytes.toString('base64url')

export const newToken = (kind: keyof typeof prefixes): string => spell(kind, drawRandom(32))

/** The push token of 32 random bytes, for who draws many of them. */
export const pushTokenOf = (bytes: Buffer): string => spell('push', bytes)

/** Tokens are random, so one round of SHA-256 hides them well enough, and they are found by it. */
export const hashToken = (text: string): Uint8Array => new Uint8Array(hash('sha256', text, 'buffer'))

const hex = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')

/** What a sealed push token is bound to: the hash beside it. */
export const pushTokenRow = (pushTokenHash: Uint8Array): string => `devices.push_token:${hex(pushTokenHash)}`

/** What a sealed file key is bound to: the hash of its access token. */
export const fileKeyRow = (tokenHash: Uint8Array): string => `access_tokens.file_key:${hex(tokenHash)}`
