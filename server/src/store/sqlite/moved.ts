import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** The store of this folder lives elsewhere now, or is on its way there. */
export class StoreMoved extends Error {}

/** What stands in the folder from the beginning of a move on; the store itself is left as it was. */
export interface Moved {
  /** The name of the move, so that it is known again where it goes. */
  move: string
  /** Without the password. */
  to: string
  begunAt: number
  /** null: it was interrupted, or is under way. */
  endedAt: number | null
}

const fileOf = (folder: string): string => join(folder, 'moved.json')

export const readMoved = (folder: string): Moved | undefined =>
  existsSync(fileOf(folder)) ? (JSON.parse(readFileSync(fileOf(folder), 'utf8')) as Moved) : undefined

/** On the disk before it returns: no server may begin on a store that is half moved. */
export const writeMoved = (folder: string, moved: Moved): void => {
  const draft = `${fileOf(folder)}.part`
  const file = openSync(draft, 'w', 0o600)
  try {
    writeSync(file, `${JSON.stringify(moved)}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(draft, fileOf(folder))
  syncFolder(folder)
}

export const forgetMoved = (folder: string): void => {
  rmSync(fileOf(folder), { force: true })
  syncFolder(folder)
}

const syncFolder = (folder: string): void => {
  const file = openSync(folder, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** For the operator: that the store lives elsewhere, and what to do about it. */
export const movedInWords = (folder: string): { text: string; hint: string } | undefined => {
  const moved = readMoved(folder)
  if (!moved) return undefined
  const back = 'carillon migrate --undo takes that back'
  if (moved.endedAt === null) {
    return { text: `the store in ${folder} is half moved to ${moved.to}`, hint: `carillon migrate --to … goes on with it, ${back}` }
  }
  const day = new Date(moved.endedAt).toISOString().slice(0, 10)
  return { text: `the store in ${folder} was moved to ${moved.to} on ${day}`, hint: `set CARILLON_DATABASE_URL to work there; ${back}` }
}

/** What was changed here now would be missing there. */
export const refuseMoved = (folder: string): void => {
  const told = movedInWords(folder)
  if (told) throw new StoreMoved(`${told.text}: ${told.hint}`)
}
