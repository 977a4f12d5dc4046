import test from 'node:test'
import { type Arrow, arrowsOf, complaint, rings } from './arrows.ts'

const may = (from: string, to: string): boolean => complaint({ from, to }) === undefined

test('every way to lean on a file is seen', (t) => {
  const source = [
    `import { readFile } from 'node:fs/promises'`,
    `import type { Store } from '../store/store.ts'`,
    `import {\n  errors,\n  type Refused,\n} from '@carillon/protocol/errors.ts'`,
    `import './side.ts'`,
    `export * from './again.ts'`,
    `const lazy = await import('./lazy.ts')`,
    `type Named = import('./named.ts').Named`,
    `new Worker(new URL('./thread.ts', import.meta.url))`,
  ].join('\n')
  t.assert.deepEqual(
    new Set(arrowsOf('server/src/push/plan.ts', source).map(({ to }) => to)),
    new Set([
      'server/src/store/store.ts',
      'protocol/src/errors.ts',
      ...['side', 'again', 'lazy', 'named', 'thread'].map((name) => `server/src/push/${name}.ts`),
    ]),
  )
})

test('imports run one way through the house', (t) => {
  const down: [string, string][] = [
    ['server/src/main.ts', 'server/src/vendors/apns.ts'],
    ['server/src/http/push.ts', 'server/src/push/accept.ts'],
    ['server/src/gateway/ports.ts', 'server/src/push/channel.ts'],
    ['server/src/push/plan.ts', 'server/src/store/store.ts'],
    ['server/src/store/tasks.ts', 'protocol/src/names.ts'],
    ['server/src/bus/memory.ts', 'server/src/clock.ts'],
    ['server/src/vendors/apns.ts', 'server/src/vendors/vendor.ts'],
    ['server/src/vendors/apns.ts', 'server/src/vendors/message.ts'],
    ['server/src/vendors/send.ts', 'server/src/vendors/apns.ts'],
    ['cli/src/main.ts', 'server/src/main.ts'],
    ['bench/notify.ts', 'server/src/main.ts'],
    ['test/clients.test.ts', 'protocol/src/counters.ts'],
    ['test/harness/carillon.ts', 'scripts/throwaway-postgres.ts'],
    ['server/src/store/postgres/contract.test.ts', 'scripts/throwaway-postgres.ts'],
    ['server/src/bus/nats.test.ts', 'scripts/throwaway-nats.ts'],
  ]
  for (const [from, to] of down) t.assert.equal(may(from, to), true, `${from} → ${to}`)
})

test('an arrow that points up or across is refused', (t) => {
  const wrong: [string, string][] = [
    ['protocol/src/names.ts', 'server/src/clock.ts'],
    ['server/src/store/store.ts', 'server/src/push/channel.ts'],
    ['server/src/store/store.ts', 'server/src/bus/bus.ts'],
    ['server/src/push/plan.ts', 'server/src/access/access.ts'],
    ['server/src/access/access.ts', 'server/src/push/plan.ts'],
    ['server/src/http/push.ts', 'server/src/gateway/session.ts'],
    ['server/src/gateway/session.ts', 'server/src/vendors/send.ts'],
    ['server/src/clock.ts', 'server/src/store/store.ts'],
    ['server/src/http/push.ts', 'server/src/main.ts'],
    ['server/src/vendors/apns.ts', 'server/src/vendors/fcm.ts'],
    ['server/src/vendors/apns.ts', 'server/src/push/channel.ts'],
    ['server/src/vendors/apns.ts', 'server/src/vendors/desk.ts'],
    ['server/src/vendors/apns.ts', 'server/src/store/store.ts'],
    ['test/clients.test.ts', 'server/src/main.ts'],
    ['server/src/store/postgres/postgres.ts', 'scripts/throwaway-postgres.ts'],
    ['server/src/http/push.ts', 'cli/src/main.ts'],
    ['attic/src/old.ts', 'protocol/src/names.ts'],
  ]
  for (const [from, to] of wrong) t.assert.equal(may(from, to), false, `${from} → ${to}`)
})

test('files that lean on one another in a ring are found, each ring once', (t) => {
  const arrows: Arrow[] = ['ab', 'bc', 'ca', 'cd', 'ed', 'ea'].map(([from, to]) => ({ from: from!, to: to! }))
  t.assert.deepEqual(rings(arrows), [['a', 'b', 'c', 'a']])
  t.assert.deepEqual(rings(arrows.filter(({ to }) => to !== 'a')), [])
})
