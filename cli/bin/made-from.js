import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** What the bundle was made from: the sources, each with its stamp. */
export const madeFrom = fileURLToPath(new URL('../dist/made-from.json', import.meta.url))

/**
 * When and how long; in whole seconds, because images and archives keep no more.
 * @param {import('node:fs').Stats} stat
 */
export const stampOf = ({ mtimeMs, size }) => `${Math.floor(mtimeMs / 1000)} ${size}`

/** Whether there is a bundle, and of the sources as they are. */
export const isFresh = () => {
  try {
    /** @type {Record<string, string>} */
    const stamps = JSON.parse(readFileSync(madeFrom, 'utf8'))
    return Object.entries(stamps).every(([file, stamp]) => stampOf(statSync(join(root, file))) === stamp)
  } catch {
    return false
  }
}
