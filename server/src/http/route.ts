import type { IncomingMessage } from 'node:http'
import type { ErrorName } from '@carillon/protocol/errors.ts'
import type { Static, TSchema, TVoid } from 'typebox'
import type { App, Scope } from '../store/scope.ts'
import type { Answered } from './answered.ts'
import type { Page } from './cookie.ts'
import type { Document } from './document.ts'
import type { Written } from './written.ts'

/**
 * Who may make a call.
 * nobody  no header is read at all (health, documentation)
 * app     only app_id is needed; access-token is ignored (logins, registration)
 * any     any scope
 * admin   an admin token with the whole app as its scope
 * user    a call as one user: a user token, or an admin token with user_id
 */
export type Who = 'nobody' | 'app' | 'any' | 'admin' | 'user'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** The chapters of the reference, in their order. */
export const nouns = {
  tokens: 'Logging in and out.',
  users: 'The people of an app.',
  groups: 'Named sets of users.',
  devices: 'One installation of an app: its tags, alias, badge, and when it may be disturbed.',
  'vendor tokens': "A device's addresses at the makers of phones.",
  certificates: "An app's records at the makers of phones.",
  push: 'Sending.',
  tasks: 'What became of what was sent.',
  receipts: 'What devices say of what they got.',
  files: 'Images, audio and video to attach.',
  apps: 'The app itself.',
  operations: 'Looking in.',
} as const
export type Noun = keyof typeof nouns

export interface Call<W extends Who, B, Q, P> {
  /** The caller's scope; not there for nobody and app. */
  scope: W extends 'any' | 'admin' | 'user' ? Scope : undefined
  app: W extends 'nobody' ? undefined : App
  body: B
  query: Q
  params: P
  /** The source address, proxies accounted for. */
  address: string
  /** What a browser says of the page that makes the call. */
  page(): Page
  /** The scope decided once more, for answers that go on for long; throws when the caller may not call this any more. */
  scopeNow(): Promise<Scope>
  /** The request itself, for what only one route asks of it. */
  request: IncomingMessage
}

/** A call as somebody would make it, and what it answers. A test makes every one of them. */
interface Example<A> {
  body?: object
  query?: Record<string, string | number>
  params?: Record<string, string | number>
  answer?: A
}

/** A route is a door: who, what it takes, and the one step it calls. The same record validates and documents. */
export interface Route<
  W extends Who = Who,
  B extends TSchema = TSchema,
  Q extends TSchema = TSchema,
  P extends TSchema = TSchema,
  A extends TSchema = TSchema,
> {
  /** Several methods where clients of this interface differ; the first one is the documented one. */
  method: Method | readonly Method[]
  /** `/push/task/:task_id` */
  path: string
  who: W
  noun: Noun
  /** The console's cookie does not stand for access-token here. */
  headersOnly?: true
  /** One sentence for the reference. */
  summary: string
  body?: B
  /** The media type of a body that is a file; the step reads it itself. */
  upload?: string
  /** Reads the body where rules span fields; without it the schema alone decides. */
  readBody?(sent: unknown): Static<B>
  /** Headers it asks for beside those that say who calls: name and meaning. */
  asks?: Record<string, string>
  /** The same, where they may be left out. */
  takes?: Record<string, string>
  /** Query and path parameters are text; integers are parsed strictly. */
  query?: Q
  params?: P
  /** The schema of `data`; null without one. */
  answer?: A
  /** The media type of a Document, which is answered in place of an envelope. */
  document?: string
  /** What it can be refused with, beside what every call like it can be: see refusals of a call in openapi.ts. */
  refuses?: readonly ErrorName[]
  example?: Example<Static<A>>
  /** Fixed headers of the answer. */
  headers?: Record<string, string>
  /** Resolves to `data` of the envelope, or to what is answered as it is. */
  handle(call: Call<W, Static<B>, Static<Q>, Static<P>>): Promise<Static<A> | Answered<Static<A>> | Document | Written>
}

/** Gives `handle` its types from `who` and the schemas, and holds what it returns to `answer`. */
export const route = <
  W extends Who,
  B extends TSchema = TSchema,
  Q extends TSchema = TSchema,
  P extends TSchema = TSchema,
  A extends TSchema = TVoid,
>(
  spec: Route<W, B, Q, P, A>,
): Route => spec as unknown as Route
