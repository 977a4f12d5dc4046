import type { TestEvent } from 'node:test/reporters'

/**
 * A reporter for the runner: one letter a test, written as it ends, so that a file that never ends still says how far
 * it came. p passed, f failed, s skipped, t still to be done. Suites are no tests.
 */
export default async function* marks(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if ((type !== 'test:pass' && type !== 'test:fail') || data.details.type === 'suite') continue
    if (data.skip !== undefined) yield 's'
    else if (data.todo !== undefined) yield 't'
    else yield type === 'test:pass' ? 'p' : 'f'
  }
}
