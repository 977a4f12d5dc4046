import { type Found, type Row, type Sample, hasBars, shortNumber } from './job.ts'
import type { Machine } from './machine.ts'
import { median, verdictOf } from './statistics.ts'

/** What a job found, where and when: the content of results/<job>.json. */
export interface Result extends Found {
  job: string
  about: string
  date: string
  machine: Machine
  /** How much of the machine others used before the job began, 0 to 1. */
  othersBusy: number
}

const CLIENT_LIMIT = 0.8
const LOOP_LIMIT_MS = 50

const words = { goal: 'goal', 'first bar': 'first bar', below: '**below**' } as const

const withUnit = (value: number, unit: Row['unit']): string => `${shortNumber(value)} ${unit}`

const spread = (values: readonly number[]): string =>
  `${shortNumber(Math.min(...values))} to ${shortNumber(Math.max(...values))}`

const rowLine = (row: Row): string => {
  const { what, unit, values } = row
  const bars = hasBars(row) ? [withUnit(row.firstBar, unit), withUnit(row.goal, unit), words[verdictOf(row)]] : ['', '', '']
  const cells = [what, `**${withUnit(median(values), unit)}**`, spread(values), ...bars]
  return `| ${cells.join(' | ')} |`
}

const of = (samples: readonly Sample[], field: 'clientCpu' | 'loopDelayMs'): number[] =>
  samples.map((sample) => sample[field]).filter((value) => value !== undefined)

const percent = (share: number): string => `${Math.round(share * 100)} %`

const sampleLine = (name: string, samples: readonly Sample[], clientLimit: number): string => {
  const values = samples.map(({ value }) => value)
  const [client, loop] = [of(samples, 'clientCpu'), of(samples, 'loopDelayMs')]
  const most = Math.max(...client)
  const late = Math.max(...loop)
  const cells = [
    name,
    shortNumber(median(values)),
    spread(values),
    client.length === 0 ? '' : `${percent(most)}${most > clientLimit ? ', over 80 %' : ''}`,
    loop.length === 0 ? '' : `${shortNumber(late)} ms${late >= LOOP_LIMIT_MS ? ', over 50 ms' : ''}`,
  ]
  return `| ${cells.join(' | ')} |`
}

const section = ({ job, about, measured, samples, rows, date, othersBusy }: Result): string =>
  [
    `## ${job}`,
    '',
    `${about} Measured ${date}, others using ${percent(othersBusy)} of the machine: ${measured}.`,
    '',
    '| | median | spread | client, at most | event loop p99.9, at worst |',
    '|---|---|---|---|---|',
    // Where nothing is held against a bar, the clients themselves are what is measured.
    ...Object.entries(samples).map((entry) => sampleLine(...entry, rows.length > 0 ? CLIENT_LIMIT : Infinity)),
    '',
  ].join('\n')

const said = ({ cores, processor, memoryGb, kernel, node }: Machine): string =>
  `${cores} cores (${processor}), ${memoryGb} GB of memory, ${kernel}, Node ${node.slice(1)}`

/** The page of results: the numbers first, then every job with its samples. */
export const table = (results: readonly Result[]): string => {
  const machines = [...new Set(results.map(({ machine }) => said(machine)))]
  return [
    '# Measured',
    '',
    `Written by \`npm run bench\` on ${machines.join('; and on ')}.`,
    'How to run and to read it is in [docs/performance.md](../../docs/performance.md).',
    'Servers and their peers may use every core; the measuring clients, the same for all, stay on the last one.',
    'Every contender was measured in turn, several rounds; a ratio is taken round by round, and its median shown.',
    '',
    '![Share of each goal that is reached](ratios.svg)',
    '',
    '| | median | spread | first bar | goal | holds |',
    '|---|---|---|---|---|---|',
    ...results.flatMap(({ rows }) => rows.map(rowLine)),
    '',
    ...results.map(section),
  ].join('\n')
}

/** The same for a terminal, one job. */
export const summary = ({ rows, samples }: Pick<Result, 'rows' | 'samples'>): string => {
  const all = Object.values(samples).flat()
  const client = Math.max(...of(all, 'clientCpu'))
  const loop = Math.max(...of(all, 'loopDelayMs'))
  const lines = rows.map((row) => {
    const { what, unit, values } = row
    const found = `${what}: ${withUnit(median(values), unit)} (${spread(values)}`
    if (!hasBars(row)) return `${found})`
    const bars = `first bar ${withUnit(row.firstBar, unit)}, goal ${withUnit(row.goal, unit)}`
    const verdict = verdictOf(row) === 'below' ? 'below both' : `holds the ${verdictOf(row)}`
    return `${found}; ${bars}): ${verdict}`
  })
  // Of no samples the greatest is -Infinity.
  if (client >= 0 && rows.length > 0) lines.push(`client: at most ${percent(client)} of its core (limit ${percent(CLIENT_LIMIT)})`)
  if (loop >= 0) lines.push(`event loop p99.9: at worst ${shortNumber(loop)} ms late (goal below ${LOOP_LIMIT_MS} ms)`)
  return lines.map((line) => `  ${line}`).join('\n')
}
