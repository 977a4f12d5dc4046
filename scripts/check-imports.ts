import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { arrowsOf, complaint, rings } from './arrows.ts'

// dependency-cruiser reads TypeScript through the compiler's own library, which TypeScript 7 does not have.
const root = join(import.meta.dirname, '..')
const exclude = ['**/node_modules', '**/dist', 'data']
const files = await Array.fromAsync(glob('*/**/*.{ts,tsx,js,mjs}', { cwd: root, exclude }))
const arrowsIn = async (file: string) => arrowsOf(file, await readFile(join(root, file), 'utf8'))
const arrows = (await Promise.all(files.map(arrowsIn))).flat()

const problems = [
  ...arrows.map(complaint).filter((problem) => problem !== undefined),
  ...rings(arrows).map((ring) => `a ring: ${ring.join(' → ')}`),
]
for (const problem of new Set(problems)) console.error(problem)
console.error(`${files.length} files, ${arrows.length} arrows, ${problems.length} problems`)
process.exitCode = problems.length > 0 ? 1 : 0
