import { timingSafeEqual } from 'node:crypto'
import type { Seal } from './seal.ts'

const MARK_BYTES = 16

/**
 * The part of a receipt address that proves it was given out by us: an app's number and a mark of it. Nothing is stored,
 * and every node knows it. Short, because vendors take addresses of 128 bytes at most.
 */
export const receiptSecret = (seal: Seal, app: number): string => `${app.toString(36)}-${markOf(seal, app).toString('base64url')}`

/** The app that a secret belongs to; undefined for one that was not given out. */
export const appOfReceipt = (seal: Seal, secret: string): number | undefined => {
  const [number = '', mark = ''] = secret.split(/-(.*)/s, 2)
  const app = /^[0-9a-z]{1,11}$/.test(number) ? Number.parseInt(number, 36) : 0
  const shown = Buffer.from(mark, 'base64url')
  if (!Number.isSafeInteger(app) || app <= 0 || shown.length !== MARK_BYTES) return undefined
  return timingSafeEqual(shown, markOf(seal, app)) ? app : undefined
}

const markOf = (seal: Seal, app: number): Buffer => seal.mark(`receipt/${app}`).subarray(0, MARK_BYTES)
