import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Job, hasBars } from './job.ts'
import { plot } from './plot.ts'
import { type Result, table } from './table.ts'

const folder = fileURLToPath(new URL('../results/', import.meta.url))

export const write = (result: Result): void => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${result.job}.json`), `${JSON.stringify(result, null, 2)}\n`)
}

/** The page and the picture, from what there is of every job, also from earlier runs. */
export const writePages = (jobs: readonly Job[]): void => {
  const files = jobs.map(({ name }) => join(folder, `${name}.json`)).filter((file) => existsSync(file))
  const results = files.map((file) => JSON.parse(readFileSync(file, 'utf8')) as Result)
  writeFileSync(join(folder, 'README.md'), table(results))
  writeFileSync(join(folder, 'ratios.svg'), plot(results.flatMap(({ rows }) => rows.filter(hasBars))))
}
