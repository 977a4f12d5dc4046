import { readFileSync } from 'node:fs'
import { docsPage, docsPolicy } from './docs-page.ts'
import { Document } from './document.ts'
import { describeApi } from './openapi.ts'
import { type Route, route } from './route.ts'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }

/** These routes, and two more that describe them all. Both documents are made when somebody first asks. */
export const withDocs = (routes: readonly Route[]): Route[] => {
  const api = once(() => describeApi(all, version))
  const file = once(() => new Document('application/json', JSON.stringify(api())))
  const page = once(
    () => new Document('text/html; charset=utf-8', docsPage(api()), { 'content-security-policy': docsPolicy }),
  )
  const all: Route[] = [
    ...routes,
    route({
      method: 'GET',
      path: '/openapi.json',
      who: 'nobody',
      noun: 'operations',
      summary: 'The description of this API for tools: OpenAPI 3.1, without an envelope.',
      document: 'application/json',
      handle: async () => file(),
    }),
    route({
      method: 'GET',
      path: '/docs',
      who: 'nobody',
      noun: 'operations',
      summary: 'The same for people: a page.',
      document: 'text/html',
      handle: async () => page(),
    }),
  ]
  return all
}

const once = <V>(make: () => V): (() => V) => {
  let made: V | undefined
  return () => (made ??= make())
}
