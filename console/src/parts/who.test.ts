import test, { type TestContext } from 'node:test'
import { named } from './who.ts'
import { whoWords } from './who.words.ts'

test('whoever did it is named in each language, and as the server said where that is new', (t: TestContext) => {
  for (const [who, zh, en = who] of [
    ['app', '应用', 'the app'], ['user 7', '用户 7'], ['group 3', '群组 3'], ['command line', '命令行'],
    ['admin token 3', '管理员令牌 3'], ['admin token 3 (ci (old))', '管理员令牌 3（ci (old)）'], ['a robot', 'a robot'],
  ] as const) {
    t.assert.equal(named(who, whoWords.zh), zh)
    t.assert.equal(named(who, whoWords.en), en)
  }
})
