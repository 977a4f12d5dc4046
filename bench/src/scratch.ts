import { constants, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A temporary folder, and everything that must be stopped before it goes. */
export class Scratch {
  readonly folder = mkdtempSync(join(tmpdir(), 'carillon-bench-'))
  readonly #closings = new Set<() => unknown>()
  #made = 0

  /** A file with this content, for a program to read. */
  file(text: string): string {
    const path = this.#next()
    writeFileSync(path, text)
    return path
  }

  newFolder(): string {
    const path = this.#next()
    mkdirSync(path)
    return path
  }

  /** A folder to write in, with what another one holds; shares the bytes where the file system can. */
  copyOf(folder: string): string {
    const path = this.#next()
    cpSync(folder, path, { recursive: true, mode: constants.COPYFILE_FICLONE })
    return path
  }

  remove(path: string): void {
    rmSync(path, { recursive: true, force: true })
  }

  #next(): string {
    this.#made += 1
    return join(this.folder, String(this.#made))
  }

  /** `closing` runs at the end, however that comes, unless it is dropped before. */
  onClose(closing: () => unknown): { drop(): void } {
    this.#closings.add(closing)
    return { drop: () => this.#closings.delete(closing) }
  }

  close(): void {
    for (const closing of this.#closings) closing()
    this.remove(this.folder)
  }
}
