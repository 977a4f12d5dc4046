import { test } from 'node:test'
import type { BarredRow } from './job.ts'
import { plot } from './plot.ts'
import { median, shareOfGoal, verdictOf } from './statistics.ts'
import { type Result, table } from './table.ts'

const rate = (values: number[]): BarredRow => ({ what: 'rate', unit: '×', better: 'more', firstBar: 0.5, goal: 1, values })
const cost = (values: number[]): BarredRow => ({ what: 'cost', unit: 'KB', better: 'less', firstBar: 10, goal: 4, values })

test('one round that went wrong does not move the median', (t) => {
  t.assert.equal(median([10, 900, 11]), 11)
  t.assert.equal(median([1, 2]), 1.5)
})

test('a bar is held from its own side: rates from above, costs from below', (t) => {
  t.assert.deepEqual([[1], [0.6], [0.4]].map((values) => verdictOf(rate(values))), ['goal', 'first bar', 'below'])
  t.assert.deepEqual([[4], [9], [11]].map((values) => verdictOf(cost(values))), ['goal', 'first bar', 'below'])
  t.assert.equal(shareOfGoal(8, cost([])), 0.5)
})

test('the page says where a client was too busy or an event loop too late', (t) => {
  const result: Result = {
    job: 'one', about: 'What.', date: '2030-01-01', othersBusy: 0, measured: 'calls a second', rows: [cost([5]), { what: 'time', unit: 's', better: 'less', values: [3] }],
    machine: { cores: 2, processor: 'some', memoryGb: 8, kernel: 'Linux 6', node: 'v26.0.0' },
    samples: { ours: [{ value: 10, clientCpu: 0.9, loopDelayMs: 60 }], theirs: [{ value: 10, clientCpu: 0.7 }] },
  }
  const page = table([result])
  t.assert.match(page, /\| ours \| 10 \| 10 to 10 \| 90 %, over 80 % \| 60 ms, over 50 ms \|/)
  t.assert.match(page, /\| theirs \| 10 \| 10 to 10 \| 70 % \| {2}\|/)
  t.assert.match(page, /\| cost \| \*\*5 KB\*\* \| 5 to 5 \| 10 KB \| 4 KB \| first bar \|/)
  t.assert.match(page, /\| time \| \*\*3 s\*\* \| 3 to 3 \| {2}\| {2}\| {2}\|/)
})

test('the picture holds a bar for every row', (t) => {
  t.assert.equal(plot([rate([2]), cost([5])]).match(/<rect x=/g)?.length, 2)
})
