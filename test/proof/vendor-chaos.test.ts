import test from 'node:test'
import { survivesChaos } from '../harness/chaos.ts'

test('through a minute of troubles on all vendors every push to 5,000 devices ends, and the ledger balances', { timeout: 20 * 60_000 }, (t) =>
  survivesChaos(t, { devices: 5_000, lists: 25, stormMs: 60_000 }))
