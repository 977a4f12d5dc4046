import { createHash } from 'node:crypto'
import type { VendorName } from '@carillon/protocol/names.ts'

/**
 * What tells a certificate from every other one, and from those it replaced. Sealing is never twice the same: also what
 * was set twice within a millisecond is told apart.
 */
export const certificateKey = ({ id, vendor, secrets }: { id: number; vendor: VendorName; secrets: Uint8Array }): string =>
  `${vendor} ${id} ${createHash('sha256').update(secrets).digest('base64url')}`
