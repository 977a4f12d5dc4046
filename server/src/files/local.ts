import { createReadStream, mkdirSync } from 'node:fs'
import { copyFile, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Files } from './files.ts'

/** A folder beside the database. Spread over 256 folders, because some tools suffer from very large ones. */
export const localFiles = (folder: string): Files => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const pathOf = (key: string): string => join(folder, key.slice(0, 2), key)
  return {
    async put(key, { path }) {
      const place = pathOf(key)
      await mkdir(dirname(place), { recursive: true, mode: 0o700 })
      try {
        await rename(path, place)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
        await copyFile(path, place) // the temporary folder is on another disk
      }
      const file = await open(place, 'r')
      await file.sync()
      await file.close()
    },
    async get(key, { start, end }) {
      const stream = createReadStream(pathOf(key), { start, end })
      const { promise, resolve } = Promise.withResolvers<typeof stream | undefined>()
      stream.once('open', () => resolve(stream)).once('error', () => resolve(undefined))
      return promise
    },
    async remove(key) {
      await rm(pathOf(key), { force: true })
    },
  }
}
