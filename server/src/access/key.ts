import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { claimKeyCheck, readKeyCheck } from '../store/keycheck.ts'
import type { Store } from '../store/store.ts'
import { Seal } from './seal.ts'

/** The key cannot be used; the message is one line for the operator. */
export class KeyError extends Error {}

const CHECK_ROW = 'meta:key_check'
const CHECK_WORD = 'carillon'

/** Reads the key that seals secrets; makes it when there is none and nothing can have been sealed yet. */
export const loadKey = (file: string, storeIsEmpty: boolean): Buffer => {
  const text = readText(file)
  if (text !== undefined) return parse(text, file)
  if (!storeIsEmpty) {
    throw new KeyError(`key file ${file} is missing, and the store holds secrets sealed with it: put it back`)
  }
  makeKey(file)
  // Another process may have been faster: what counts is what stands there.
  const made = readText(file)
  if (made === undefined) throw new KeyError(`key file ${file} was made and is gone again`)
  return parse(made, file)
}

/** Checks the key against the store; a store without a key takes this one. */
export const checkKey = async (store: Store, seal: Seal): Promise<void> => {
  const found =
    (await store.read(readKeyCheck, {})) ??
    (await store.write(claimKeyCheck, { sealed: seal.seal(CHECK_WORD, CHECK_ROW) }))
  checkKeyWord(found, seal)
}

/** Throws KeyError where the store's sealed word was sealed with another key. */
export const checkKeyWord = (found: Uint8Array, seal: Seal): void => {
  try {
    seal.open(found, CHECK_ROW)
  } catch {
    throw new KeyError('the key does not open this store: it was sealed with another one')
  }
}

const readText = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new KeyError(`key file ${file} cannot be read: ${(error as Error).message}`)
  }
}

const parse = (text: string, file: string): Buffer => {
  const trimmed = text.trim()
  const key = Buffer.from(trimmed, 'base64')
  if (key.length !== 32 || key.toString('base64') !== trimmed) {
    throw new KeyError(`key file ${file} is malformed: it must hold 32 bytes as base64`)
  }
  return key
}

/**
 * Written whole beside its place, then linked there: link fails if the name exists, so of two processes one wins, and
 * neither can read half a key.
 */
const makeKey = (file: string): void => {
  const draft = `${file}.${process.pid}.${randomBytes(6).toString('hex')}`
  try {
    const fd = openSync(draft, 'wx', 0o600)
    try {
      writeSync(fd, `${randomBytes(32).toString('base64')}\n`)
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    try {
      linkSync(draft, file)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    } finally {
      unlinkSync(draft)
    }
    syncFolder(dirname(file))
  } catch (error) {
    throw new KeyError(`key file ${file} cannot be made: ${(error as Error).message}`)
  }
}

/** The name must be on the disk before anything sealed with the key is. */
const syncFolder = (folder: string): void => {
  const fd = openSync(folder, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
