import test, { type TestContext } from 'node:test'
import { notifications } from '../metrics.ts'
import { Repeats } from './repeats.ts'

test('copies of a call that is under way get its answer; once it is answered, the store is asked again', async (t: TestContext) => {
  const repeats = new Repeats()
  const calls: PromiseWithResolvers<number>[] = []
  const accept = (key: string): Promise<number> =>
    repeats.accept(key, () => {
      const call = Promise.withResolvers<number>()
      calls.push(call)
      return call.promise
    })
  const repeated = notifications.repeated.value
  const copies = ['a', 'a', 'b', 'a'].map(accept)
  t.assert.equal(calls.length, 2)
  calls[0]!.resolve(1)
  calls[1]!.reject(new Error('cannot be stored'))
  await t.assert.rejects(copies[2]!, /cannot be stored/)
  t.assert.deepEqual(await Promise.all([copies[0], copies[1], copies[3]]), [1, 1, 1])
  t.assert.equal(notifications.repeated.value - repeated, 2)
  void accept('a')
  void accept('b')
  t.assert.equal(calls.length, 4)
})
