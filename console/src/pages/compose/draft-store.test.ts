import { test } from 'node:test'
import { CarillonError } from '@carillon/sdk/call.ts'
import { valueOf, withValue, emptyDraft } from './draft.ts'
import { DraftStore, isSent, problemAt } from './draft-store.ts'

const written = (): DraftStore => {
  const store = new DraftStore()
  store.setAudience('all')
  store.setValue('message.title', 'Hello')
  return store
}
const idOf = (store: DraftStore): string => valueOf(store.get().draft, 'setting.request_id')
const send = (store: DraftStore): void => store.succeed({ taskId: 7, requestId: idOf(store), trial: false })

test('a draft keeps its request id however often it is sent, until something in it changes', (t) => {
  const store = written()
  const first = idOf(store)
  send(store)
  t.assert.equal(idOf(store), first)
  t.assert.equal(isSent(store.get()), true)
  store.setValue('message.body', 'Now with a text')
  t.assert.notEqual(idOf(store), first)
  t.assert.equal(isSent(store.get()), false)
})

test('who wants to send the same again gets a new id', (t) => {
  const store = written()
  const first = idOf(store)
  send(store)
  store.renewId()
  t.assert.notEqual(idOf(store), first)
})

test('an id that was typed is never changed by itself', (t) => {
  const store = written()
  store.setValue('setting.request_id', 'spring-sale')
  send(store)
  store.setValue('message.body', 'b')
  t.assert.equal(idOf(store), 'spring-sale')
  t.assert.equal(isSent(store.get()), true)
})

test('sending it to one device first does not use up the id', (t) => {
  const store = written()
  const first = idOf(store)
  store.succeed({ taskId: 7, requestId: 'another', trial: true })
  store.setValue('message.body', 'b')
  t.assert.equal(idOf(store), first)
})

test('other content takes the place of a draft, which can be brought back', (t) => {
  const store = written()
  store.replace(withValue(emptyDraft, 'message.vivo.push_mode', '1'), { from: 'task', task: 3 })
  t.assert.equal(valueOf(store.get().draft, 'message.title'), '')
  t.assert.notEqual(idOf(store), '')
  t.assert.deepEqual(store.get().opened, ['vivo'])
  store.bringBack()
  t.assert.equal(valueOf(store.get().draft, 'message.title'), 'Hello')
})

test('nothing is reproached before one tries to send; then everything is, and folded parts open', (t) => {
  const store = new DraftStore()
  store.setValue('message.honor.click_action', 'intent')
  store.touch('message.honor.intent')
  t.assert.equal(problemAt('message.honor.intent', store.get()), undefined)
  t.assert.equal(store.trySending(), false)
  t.assert.notEqual(problemAt('message.honor.intent', store.get()), undefined)
  t.assert.notEqual(problemAt('audience', store.get()), undefined)
  t.assert.deepEqual(store.get().opened, ['honor'])
})

test('what does not matter for a trial keeps it from nothing', (t) => {
  const store = new DraftStore()
  store.setValue('message.title', 'Hello')
  t.assert.equal(
    store.trySending(({ path }) => path !== 'audience'),
    true,
  )
  t.assert.equal(problemAt('audience', store.get()), undefined)
})

test('a refusal is said at the field it names, until that field changes', (t) => {
  const store = written()
  const error = new CarillonError(10002, 'audience.tag[3] must not be blank', 400)
  store.refuse(error)
  t.assert.deepEqual(problemAt('audience', store.get()), { path: 'audience.tag[3]', error })
  store.setValue('message.body', 'b')
  t.assert.notEqual(problemAt('audience', store.get()), undefined)
  store.setAudience('tag', ['vip'])
  t.assert.equal(problemAt('audience', store.get()), undefined)
})
