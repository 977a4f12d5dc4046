import test, { type TestContext } from 'node:test'
import { inForm, refusedField, registrationOf } from './registration.ts'

test('what is blank is not sent, and a password keeps its blanks', (t: TestContext) => {
  const ann = registrationOf({ username: ' ann ', password: ' a b ', mobile: ' ', email: '' })
  t.assert.deepEqual(ann, { username: 'ann', password: ' a b ' })
  t.assert.deepEqual(registrationOf({ username: 'ben', password: '', mobile: '+4915100001009', email: 'b@example.com ' }), {
    username: 'ben', mobile: '+4915100001009', email: 'b@example.com',
  })
})

test('a refusal is shown at the field it names', (t: TestContext) => {
  t.assert.equal(refusedField('username is taken'), 'username')
  t.assert.equal(refusedField('list[0].email must be an email address'), 'email')
  t.assert.equal(inForm('list[0].email must be an email address'), 'email must be an email address')
  t.assert.equal(refusedField('the store cannot be reached'), undefined)
})
