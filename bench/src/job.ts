import type { Clients } from './clients.ts'
import type { Crowd } from './crowd.ts'
import type { Scratch } from './scratch.ts'

/** What a job works with. */
export interface Bench {
  /** A short form, to see that it runs; its numbers mean little. */
  quick: boolean
  /** How often each contender is measured. */
  rounds: number
  scratch: Scratch
  clients: Clients
  /** A data folder with so many devices whose credentials are known; made once. */
  crowd(size: number): Promise<Crowd>
  /** The same with imported devices added until there are `size`, all but the first `known` of them away. */
  population(size: number, known: number): Promise<Crowd>
  /** Says what is being done. */
  say(text: string): void
}

/** One measurement of one contender. */
export interface Sample {
  /** What is compared. */
  value: number
  /** Processor time of the measuring client, in parts of one core. */
  clientCpu?: number
  /** Carillon's own event loop, p99.9 over the measurement. */
  loopDelayMs?: number
  /** What else was seen. */
  seen?: Record<string, number>
}

/** One line of the table: a number worth knowing. */
export interface Row {
  what: string
  unit: '×' | 'KB' | 'MB' | 's' | 'ms'
  better: 'more' | 'less'
  /** What it should reach; a number that only informs has neither. */
  firstBar?: number
  goal?: number
  /** One a round. */
  values: number[]
}

/** One that is held against bars. */
export type BarredRow = Row & { firstBar: number; goal: number }

export const hasBars = (row: Row): row is BarredRow => row.firstBar !== undefined && row.goal !== undefined

/** What a job found. Samples by contender, in the unit that `measured` names. */
export interface Found {
  measured: string
  samples: Record<string, Sample[]>
  rows: Row[]
}

export interface Job {
  name: string
  /** In one sentence, for the table. */
  about: string
  run(bench: Bench): Promise<Found>
}

/** Every contender in turn, as many times as there are rounds: what drifts on the machine drifts for all. */
export const alternate = async <const N extends string>(
  bench: Pick<Bench, 'rounds' | 'say'>,
  contenders: Record<N, () => Promise<Sample>>,
): Promise<Record<N, Sample[]>> => {
  const entries = Object.entries(contenders) as [N, () => Promise<Sample>][]
  const samples = Object.fromEntries(entries.map(([name]) => [name, []])) as unknown as Record<N, Sample[]>
  for (let round = 1; round <= bench.rounds; round++) {
    for (const [name, measure] of entries) {
      const sample = await measure()
      samples[name].push(sample)
      bench.say(`  ${name}, round ${round}: ${described(sample)}`)
    }
  }
  return samples
}

const described = ({ value, clientCpu, loopDelayMs, seen = {} }: Sample): string =>
  [
    shortNumber(value),
    ...Object.entries(seen).map(([name, number]) => `${name} ${shortNumber(number)}`),
    ...(clientCpu === undefined ? [] : [`client ${Math.round(clientCpu * 100)} % of a core`]),
    ...(loopDelayMs === undefined ? [] : [`event loop p99.9 ${shortNumber(loopDelayMs)} ms late`]),
  ].join(', ')

/** Three significant digits; whole thousands as they are. */
export const shortNumber = (value: number): string =>
  Math.abs(value) >= 1000 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)))

/** Round by round, ours over theirs. */
export const ratios = (ours: readonly Sample[], theirs: readonly Sample[]): number[] =>
  ours.map(({ value }, round) => value / theirs[round]!.value)
