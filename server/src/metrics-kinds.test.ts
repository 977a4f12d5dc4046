import test from 'node:test'
import { Registry } from './metrics-kinds.ts'

test('counters, gauges and histograms are told as Prometheus reads them', (t) => {
  const metrics = new Registry()
  const calls = metrics.counters('calls_total', 'Calls.', ['route', 'code'])
  calls.of('POST /a', '200').value += 2
  calls.of('POST /a', '200').value += 1
  calls.of('say "hi"\\\n', '400').value += 1
  metrics.counter('ticks_total', 'Ticks.')
  metrics.gauge('waiting', 'Waiting.').read = () => 7
  metrics.gauge('delay_seconds', 'Delay.', 'quantile').read = () => ({ '0.5': 0.25 })
  const took = metrics.histogram('took_seconds', 'Took.', [0.1, 1])
  for (const seconds of [0.05, 0.1, 0.5, 3]) took.observe(seconds)

  t.assert.equal(
    metrics.text(),
    `# HELP calls_total Calls.
# TYPE calls_total counter
calls_total{route="POST /a",code="200"} 3
calls_total{route="say \\"hi\\"\\\\\\n",code="400"} 1
# HELP ticks_total Ticks.
# TYPE ticks_total counter
ticks_total 0
# HELP waiting Waiting.
# TYPE waiting gauge
waiting 7
# HELP delay_seconds Delay.
# TYPE delay_seconds gauge
delay_seconds{quantile="0.5"} 0.25
# HELP took_seconds Took.
# TYPE took_seconds histogram
took_seconds_bucket{le="0.1"} 2
took_seconds_bucket{le="1"} 3
took_seconds_bucket{le="+Inf"} 4
took_seconds_sum 3.65
took_seconds_count 4
`,
  )
})

test('two metrics cannot share a name', (t) => {
  const metrics = new Registry()
  metrics.counter('ticks_total', 'Ticks.')
  t.assert.throws(() => metrics.gauge('ticks_total', 'Ticks again.'), /ticks_total/)
})
