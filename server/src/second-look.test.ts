import test, { type TestContext } from 'node:test'
import { SecondLook } from './second-look.ts'

test('a device is looked at twice more after it arrived, and never again', (t: TestContext) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let now = 0
  const woken: [at: number, device: number][] = []
  const looks = new SecondLook({ now: () => now }, (device) => woken.push([now, device]))
  t.after(() => looks.stop())
  const pass = (seconds: number): void => {
    for (let i = 0; i < seconds * 2; i++) {
      now += 500
      t.mock.timers.tick(500)
    }
  }
  looks.add(1)
  pass(1)
  looks.add(2)
  pass(200)
  t.assert.deepEqual(woken, [[2_000, 1], [3_000, 2], [60_000, 1], [61_000, 2]])
})
