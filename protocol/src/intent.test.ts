import test, { type TestContext } from 'node:test'
import { isIntent } from './intent.ts'

test('an intent with one component and any other parts is good', (t: TestContext) => {
  const good = [
    'intent:#Intent;component=com.example.app/com.example.app.Chat;end',
    'intent:#Intent;component=com.example.app/.Chat;S.room=42;end',
    'intent://chat/42?x=1#Intent;scheme=app;launchFlags=0x4000000;component=a/b;S.k=a=b;S.empty=;end',
  ]
  for (const text of good) t.assert.ok(isIntent(text), text)
})

test('an intent of any other shape is not', (t: TestContext) => {
  const bad = [
    '',
    'end',
    'intent:',
    'Intent:#Intent;component=a/b;end',
    'intent:component=a/b;end',
    'intent:#Intent;end',
    'intent:#Intent;S.k=v;end',
    'intent:#Intent;component=a/b;',
    'intent:#Intent;component=a/b',
    'intent:#Intent;component=a/b;end;',
    'intent:#Intent;component=a/b;ending',
    'intent:#Intent;component=a/b;END',
    'intent:#Intent;component=a/b;end ',
    'intent:#Intent;component=a/b;S.k;end',
    'intent:#Intent;component=a/b;=v;end',
    'intent:#Intent;component=a/b;;end',
    'intent:#Intent;component=a/b;component=a/b;end',
    'intent:#Intent;component=;end',
    'intent:#Intent;component=a;end',
    'intent:#Intent;component=a/;end',
    'intent:#Intent;component=/b;end',
    'intent:#Intent;component=a/b/c;end',
    'intent:#Intent;component=a /b;end',
    ' intent:#Intent;component=a/b;end',
    'http://example.com/#Intent;component=a/b;end',
  ]
  for (const text of bad) t.assert.ok(!isIntent(text), text)
})

test('an intent of a million characters is judged in one pass', (t: TestContext) => {
  const part = 'S.k=v;'.repeat(170_000)
  t.assert.ok(isIntent(`intent:#Intent;component=a/b;${part}end`))
  t.assert.ok(!isIntent(`intent:#Intent;component=a/b;${part}`))
  t.assert.ok(!isIntent('intent:' + '#Intent'.repeat(150_000)))
  t.assert.ok(!isIntent('intent:#Intent;' + '='.repeat(1_000_000)))
  t.assert.ok(!isIntent('intent:#Intent;component=' + '/'.repeat(1_000_000) + ';end'))
})
