import test, { type TestContext } from 'node:test'
import { Together } from './together.ts'

const openScene = (most = 10) => {
  const groups: ({ questions: readonly number[] } & PromiseWithResolvers<readonly string[]>)[] = []
  const together = new Together<number, string>(most, (questions) => {
    const answer = Promise.withResolvers<readonly string[]>()
    groups.push({ questions, ...answer })
    return answer.promise
  })
  const answer = (group: number): void => groups[group]!.resolve(groups[group]!.questions.map(String))
  return { together, groups, answer, asked: () => groups.map(({ questions }) => questions) }
}

test('what is asked while others are being answered is answered after them, together', async (t: TestContext) => {
  const { together, answer, asked } = openScene()
  const first = together.ask(1)
  const rest = [2, 3].map((question) => together.ask(question))
  t.assert.deepEqual(asked(), [[1]])
  answer(0)
  t.assert.equal(await first, '1')
  t.assert.deepEqual(asked(), [[1], [2, 3]])
  answer(1)
  t.assert.deepEqual(await Promise.all(rest), ['2', '3'])
})

test('no more than so many at a time', async (t: TestContext) => {
  const { together, answer, asked } = openScene(2)
  const all = [1, 2, 3, 4].map((question) => together.ask(question))
  for (let i = 0; i < 3; i += 1) {
    answer(i)
    await all[i]
  }
  t.assert.deepEqual(asked(), [[1], [2, 3], [4]])
})

test('a failure is told to those who asked together, and to nobody else', async (t: TestContext) => {
  const { together, groups, answer } = openScene()
  const failing = t.assert.rejects(together.ask(1), /away/)
  const next = together.ask(2)
  groups[0]!.reject(new Error('away'))
  await failing
  answer(1)
  t.assert.equal(await next, '2')
})
