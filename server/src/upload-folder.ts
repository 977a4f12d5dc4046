import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Membership } from './membership.ts'

/**
 * Where this node puts what is being uploaded. Nodes may share the data folder; what one that is gone was receiving will
 * never be finished. Numbers only rise: a higher one than ours has joined since we heard who lives.
 */
export const uploadFolder = (data: string, membership: Pick<Membership, 'node' | 'alive'>): (() => string) => {
  const uploads = join(data, 'uploads')
  mkdirSync(uploads, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(uploads)) {
    const isGone = Number(name) < membership.node && !membership.alive.includes(Number(name))
    if (isGone) rmSync(join(uploads, name), { recursive: true, force: true })
  }
  // Made when it is needed: this node may have got a new number, or have been taken for dead by one that started.
  return () => {
    const folder = join(uploads, String(membership.node))
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return folder
  }
}
