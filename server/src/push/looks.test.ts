import test, { type TestContext } from 'node:test'
import { Looks } from './looks.ts'

const start = () => {
  const clock = { now: 0 }
  const reads: number[] = []
  const looks = new Looks<number>(() => clock.now)
  const look = (id: number, tookMs = 0) =>
    looks.get(id, async () => {
      reads.push(id)
      clock.now += tookMs
      return reads.length
    })
  return { clock, reads, looks, look }
}

test('however many look within a second, it is read once', async (t: TestContext) => {
  const { clock, reads, look } = start()
  t.assert.deepEqual(await Promise.all([look(1), look(1), look(2)]), [1, 1, 2])
  clock.now = 999
  t.assert.equal(await look(1), 1)
  clock.now = 1_000
  t.assert.equal(await look(1), 3)
  t.assert.deepEqual(reads, [1, 2, 1])
})

test('what took long is read less often', async (t: TestContext) => {
  const { clock, reads, look } = start()
  await look(1, 100)
  clock.now = 4_999
  await look(1)
  t.assert.deepEqual(reads, [1])
  clock.now = 5_000
  await look(1)
  t.assert.deepEqual(reads, [1, 1])
})

test('a look that failed is told to who waited for it, and the next one reads again', async (t: TestContext) => {
  const looks = new Looks<number>(() => 0)
  const failing = () => looks.get(1, () => Promise.reject(new Error('no store')))
  await t.assert.rejects(Promise.all([failing(), failing()]), /no store/)
  t.assert.equal(await looks.get(1, async () => 7), 7)
})
