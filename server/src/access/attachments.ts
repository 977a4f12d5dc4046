import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { Refused, badField } from '@carillon/protocol/errors.ts'
import type { Clock } from '../clock.ts'
import type { Files } from '../files/files.ts'
import { HEAD_BYTES, type Kind, endings, kindOf } from '../files/kinds.ts'
import { type StoredFile, addAppFile, addFile, dropFiles, filesToRemove, findFile, findFileToken } from '../store/files.ts'
import type { App, Scope } from '../store/scope.ts'
import type { Store } from '../store/store.ts'
import { actorOf } from './actor.ts'
import type { Seal } from './seal.ts'
import { fileKeyRow, hashToken } from './token.ts'

export interface AttachmentParts {
  store: Store
  clock: Clock
  seal: Seal
  files: Files
  /** Where uploads grow before they are taken. */
  folder(): string
  keptDays: number
  /** The address others reach this server by. */
  publicUrl(): string
}

interface Upload {
  name: string
  body: Readable
}

export interface SignedUpload extends Upload {
  /** As requested: it is part of what is signed. */
  path: string
  storeToken: string
  signature: string | undefined
}

const DAY_MS = 86_400_000
const REMOVED_A_TURN = 100

/** Takes a file from a user; resolves to the key of its public address. */
export const attach = async (parts: AttachmentParts, app: App, upload: SignedUpload): Promise<string> => {
  const { store, clock, seal } = parts
  const kind = kindNamed(upload.name)
  if (!upload.signature) throw badField('header signature', 'is required')
  const owner = await store.read(findFileToken, { app: app.id, storeHash: hashToken(upload.storeToken), now: clock.now() })
  if (!owner) throw new Refused('tokenInvalid', 'header store-token is invalid, expired or revoked')
  const secret = seal.open(owner.file_key, fileKeyRow(owner.hash))
  return keep(parts, app, upload, kind, {
    check: (sha256) => {
      if (!isSigned(secret, upload, sha256)) throw new Refused('tokenInvalid', 'header signature does not match')
    },
    write: (file) => store.write(addFile, { file: { ...file, user_id: owner.user_id } }),
  })
}

/** Takes a file from an admin: it is the app's own. */
export const attachForApp = (parts: AttachmentParts, scope: Scope, upload: Upload): Promise<string> =>
  keep(parts, scope.app, upload, kindNamed(upload.name), {
    check: () => {}, // the access token has said who it is
    write: async (file) => {
      await parts.store.write(addAppFile, { file, actor: actorOf(scope) })
      return true
    },
  })

const kindNamed = (name: string): Kind => {
  const kind = kindOf(name)
  if (!kind) throw badField('name', `must end in one of ${endings.map((ending) => `.${ending}`).join(' ')}`)
  return kind
}

interface Keeping {
  /** Throws when whoever sends it may not. */
  check(sha256: string): void
  /** False: whose it was to be is gone meanwhile. */
  write(file: Omit<StoredFile, 'user_id'>): Promise<boolean>
}

const keep = async (parts: AttachmentParts, app: App, { name, body }: Upload, kind: Kind, { check, write }: Keeping): Promise<string> => {
  const { clock, files } = parts
  const now = clock.now()
  const folder = await mkdtemp(join(parts.folder(), 'upload-'))
  try {
    const path = join(folder, 'body')
    const { size, sha256, head } = await receive(body, path, kind.under, kind.isImage)
    check(sha256)
    if (!kind.begins(head)) throw badField('body', `does not look like the ${kind.type} its name promises`)
    const key = randomBytes(24).toString('hex')
    await files.put(key, { path, size, sha256, type: kind.type })
    const file = { key, app: app.id, name, type: kind.type, size, created_at: now, expires_at: now + parts.keptDays * DAY_MS }
    if (await write(file)) return key
    await files.remove(key)
    throw new Refused('tokenInvalid')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** To the disk, not to memory: twenty megabytes each from many senders would not fit there. */
const receive = async (body: Readable, path: string, under: number, isImage: boolean): Promise<{ size: number; sha256: string; head: Buffer }> => {
  const hash = createHash('sha256')
  let size = 0
  let head = Buffer.alloc(0)
  const file = await open(path, 'wx', 0o600)
  try {
    // A body that is refused stays open: its sender still gets the answer.
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size >= under) throw new Refused(isImage ? 'imageTooLarge' : 'bodyTooLarge')
      if (head.length < HEAD_BYTES) head = Buffer.concat([head, chunk]).subarray(0, HEAD_BYTES)
      hash.update(chunk)
      await file.write(chunk)
    }
  } finally {
    await file.close()
  }
  return { size, sha256: hash.digest('hex'), head }
}

const isSigned = (secret: string, { path, signature }: SignedUpload, sha256: string): boolean => {
  const expected = createHmac('sha256', secret).update(`PUT\n${path}\n${sha256}`).digest()
  const given = Buffer.from(signature ?? '', 'hex')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** Removes what is over. True when there is more. */
export const removeOldFiles = async ({ store, clock, files }: AttachmentParts): Promise<boolean> => {
  const keys = await store.read(filesToRemove, { now: clock.now(), limit: REMOVED_A_TURN })
  for (const key of keys) await files.remove(key)
  if (keys.length > 0) await store.write(dropFiles, { keys })
  return keys.length === REMOVED_A_TURN
}

/** The file behind a public address of ours; undefined: not ours, or not there any more. */
export const fileAt = async ({ store, clock }: AttachmentParts, key: string) => store.read(findFile, { key, now: clock.now() })

/** The size of an attachment of ours, by its public address. The key says that it is ours: we may have many addresses. */
export const sizeOfAttachment = async (parts: AttachmentParts, url: string): Promise<number | undefined> => {
  const key = /\/file\/([0-9a-f]+)\/[^/]*$/.exec(url)?.[1]
  return key === undefined ? undefined : (await fileAt(parts, key))?.size
}
