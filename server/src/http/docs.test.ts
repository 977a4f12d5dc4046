import test from 'node:test'
import { Type } from '@carillon/protocol/type.ts'
import { Text } from '@carillon/protocol/types.ts'
import { withDocs } from './docs.ts'
import { docsPage } from './docs-page.ts'
import { openDoor } from './open-door.ts'
import { describeApi } from './openapi.ts'
import { route } from './route.ts'

const greet = route({
  method: ['POST', 'PUT'],
  path: '/greet/:name',
  who: 'user',
  noun: 'push',
  summary: 'Greets <b>somebody</b> & `nobody` else.',
  params: Type.Object({ name: Text(9) }),
  body: Type.Object({ word: Text(20) }),
  answer: Type.Object({ said: Type.String() }),
  refuses: ['certificateUnknown'],
  example: { params: { name: 'ann' }, body: { word: "it's" }, answer: { said: '<hello>' } },
  handle: async ({ body }) => ({ said: body.word }),
})

test('a route is described with all its methods, the first one being the one that counts', (t) => {
  const { paths } = describeApi([greet], '1')
  const { post, put } = paths['/greet/{name}']!
  t.assert.deepEqual([post!.operationId, put!.operationId], ['postGreetByName', 'putGreetByName'])
  t.assert.deepEqual([post!['x-same-as'], put!['x-same-as']], [undefined, 'post'])
  t.assert.deepEqual(put!.responses, post!.responses)
})

test('a route is refused with what every call like it is, and with what it says itself', (t) => {
  const { paths } = describeApi([greet, ...withDocs([])], '1')
  const codes = (path: string, method: string) =>
    Object.values(paths[path]![method]!.responses).flatMap(({ content = {} }) => Object.keys(content['application/json']?.examples ?? {}))
  t.assert.deepEqual(codes('/greet/{name}', 'post').sort(), [
    'appUnknown', 'badParameter', 'bodyTooLarge', 'cannotStore', 'certificateUnknown', 'fault', 'groupUnknown', 'notAllowed',
    'notJson', 'tokenExpired', 'tokenInvalid', 'tokenMissing', 'tooMany', 'userUnknown',
  ])
  t.assert.deepEqual(codes('/docs', 'get'), ['fault'])
})

test('what is put into the page is text, whatever it holds', (t) => {
  const page = docsPage(describeApi([greet], '1'))
  t.assert.match(page, /Greets &lt;b&gt;somebody&lt;\/b&gt; &amp; <code>nobody<\/code> else\./)
  t.assert.match(page, /&lt;hello&gt;/)
  // A word with a quote in it, as a shell takes it.
  t.assert.match(page, /-d &#39;\{&quot;word&quot;: &quot;it&#39;\\&#39;&#39;s&quot;\}&#39;/)
  t.assert.match(page, /\$CARILLON\/greet\/ann/)
})

test('documents are answered as they are, without a header being asked for', async (t) => {
  const { url } = await openDoor(t, withDocs([greet]), { alwaysOk: true })
  const api = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: object }
  t.assert.deepEqual(Object.keys(api.paths), ['/greet/{name}', '/openapi.json', '/docs', '/mqtt'])
  const head = await fetch(`${url}/docs`, { method: 'HEAD' })
  t.assert.equal(head.status, 200)
  t.assert.equal(Number(head.headers.get('content-length')) > 1000, true)
})
