import test, { type TestContext } from 'node:test'
import { type Store, StoreUnavailable } from '../store/store.ts'
import { claimTask } from '../store/tasks.ts'
import { accept } from './accept.ts'
import { startTrial } from './path.fixture.ts'
import { planNext } from './plan.ts'

test('a task whose planning failed with the store is free again a moment after the store is back', async (t: TestContext) => {
  const trial = await startTrial(t)
  await trial.addDevice()
  const inASecond = trial.clock.now() / 1_000 + 1
  const task = await accept(trial.path, trial.scope, { audience: 'all', message: { title: 'Hello' }, setting: { send_time: inASecond } })
  trial.clock.at += 1_000

  let isAway = true
  const write: Store['write'] = (op, args) =>
    isAway && (op as unknown) !== claimTask ? Promise.reject(new StoreUnavailable('away')) : trial.store.write(op, args)
  const store = { read: trial.store.read.bind(trial.store), write } as Store
  const plan = (): Promise<boolean> => planNext({ ...trial.path, store }, async () => trial.rules)
  await t.assert.rejects(plan(), StoreUnavailable)
  isAway = false
  t.assert.equal(await plan(), false, 'it is held')
  while (!(await plan())) await new Promise(setImmediate)
  t.assert.equal(await trial.state(task), 'done')
})
