// Once: it starts its own nodes.
import test from 'node:test'
import { besiege } from '../harness/cluster-siege.ts'

const ROUNDS = 5

test('whatever dies, freezes or restarts again and again, nothing accepted is lost, and the counters balance', (t) =>
  besiege(t, {
    clients: 12,
    devices: 100,
    blowsOf: ({ nodes, ...blows }) =>
      Array.from({ length: ROUNDS }, () => [
        ...nodes.map(blows.killing),
        blows.killingAll(),
        blows.killingNats(),
        blows.crashingPostgres(500),
        ...nodes.map(blows.restarting),
        blows.freezingNats(20_000),
        blows.crashingPostgres(8_000),
        ...nodes.map(blows.freezing),
        blows.freezingPostgres(8_000),
      ]).flat(),
  }))
