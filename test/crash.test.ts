// Once: nodes-siege.test.ts does the same, and more, to many.
import test from 'node:test'
import { survivesKills } from './harness/kills.ts'

test('after kill -9 every accepted task has reached all its devices, and the counters say what arrived', (t) =>
  survivesKills(t, { kills: 4, clients: 20, devices: 100 }))
