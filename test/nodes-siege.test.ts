// Once: it starts nodes of its own.
import test from 'node:test'
import { besiege } from './harness/cluster-siege.ts'

test('whatever dies, freezes or restarts, nothing accepted is lost, and the counters say what arrived', (t) =>
  besiege(t, {
    clients: 4,
    devices: 48,
    blowsOf: ({ nodes, ...blows }) => [
      ...nodes.map(blows.killing),
      blows.killingAll(),
      blows.killingNats(),
      blows.freezingNats(4_000),
      ...nodes.map(blows.restarting),
      blows.crashingPostgres(8_000),
      blows.freezing(nodes[1]!),
    ],
  }))
