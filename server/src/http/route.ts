import type { Static, TSchema } from 'typebox'
import type { App, Scope } from '../store/scope.ts'

/**
 * Who may make a call.
 * nobody  no header is read at all (health, documentation)
 * app     only app_id is needed; access-token is ignored (logins, registration)
 * any     any scope
 * admin   an admin token with the whole app as its scope
 * user    a call as one user: a user token, or an admin token with user_id
 */
export type Who = 'nobody' | 'app' | 'any' | 'admin' | 'user'

export interface Call<W extends Who, B, Q, P> {
  /** The caller's scope; not there for nobody and app. */
  scope: W extends 'any' | 'admin' | 'user' ? Scope : undefined
  app: W extends 'nobody' ? undefined : App
  body: B
  query: Q
  params: P
  /** The source address, proxies accounted for. */
  address: string
}

/** A route is a door: who, what it takes, and the one step it calls. The same record validates and documents. */
export interface Route<W extends Who = Who, B extends TSchema = TSchema, Q extends TSchema = TSchema, P extends TSchema = TSchema> {
  /** Several methods where clients of this interface differ; the first one is the documented one. */
  method: 'GET' | 'POST' | 'PUT' | 'DELETE' | readonly ('GET' | 'POST' | 'PUT' | 'DELETE')[]
  /** `/push/task/:task_id` */
  path: string
  who: W
  /** One sentence for the reference. */
  summary: string
  body?: B
  /** Reads the body where rules span fields; without it the schema alone decides. */
  readBody?(sent: unknown): Static<B>
  /** Query and path parameters are text; integers are parsed strictly. */
  query?: Q
  params?: P
  /** Fixed headers of the answer. */
  headers?: Record<string, string>
  /** Resolves to `data` of the envelope. */
  handle(call: Call<W, Static<B>, Static<Q>, Static<P>>): Promise<unknown>
}

/** Gives `handle` its types from `who` and the schemas. */
export const route = <W extends Who, B extends TSchema = TSchema, Q extends TSchema = TSchema, P extends TSchema = TSchema>(
  spec: Route<W, B, Q, P>,
): Route => spec as unknown as Route
