import type { App, Scope } from '../store/scope.ts'
import { Refused } from '@carillon/protocol/errors.ts'
import { read, readQuery } from '@carillon/protocol/read.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Answered } from './answered.ts'
import { type Gathering, Gone, readJson } from './body.ts'
import { cookieToken, pageOf } from './cookie.ts'
import { Document } from './document.ts'
import { send, success } from './envelope.ts'
import { callerHeaders, type CallerHeaders } from './headers.ts'
import { Meter } from './meter.ts'
import { methodsOf } from './paths.ts'
import type { Refusals } from './refusals.ts'
import type { Route, Who } from './route.ts'
import { Written } from './written.ts'

/** Who is calling, and in which scope: what the door asks of access. */
export interface Callers {
  app(appId: string | undefined): Promise<App>
  scope(headers: CallerHeaders): Promise<Scope>
}

interface Door {
  access: Callers
  refusals: Refusals
  gathering: Gathering
  /** Aborted when the door closes. */
  closing: AbortSignal
}

/** One route's calls: who, then the body, then the fields, then the step, then the answer. */
export const serveRoute = (route: Route, { access, refusals, gathering, closing }: Door) => {
  const { who, body, query, params, headers, path } = route
  /** Decided anew by whoever goes on for long: what was allowed at first may have ended. */
  const scopeOf = async (request: FastifyRequest): Promise<Scope> => {
    const headers = callerHeaders(request.raw.rawHeaders)
    const cookie = headers.accessToken === undefined && !route.headersOnly ? cookieToken(request) : undefined
    const scope = await access.scope(cookie === undefined ? headers : { ...headers, accessToken: cookie })
    if (cookie !== undefined && scope.token.kind !== 'admin') throw new Refused('tokenInvalid')
    mayCall(who, scope)
    return scope
  }
  const meter = new Meter(`${methodsOf(route)[0]} ${path}`)
  const serve = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { raw } = request
    const startedAt = performance.now()
    try {
      let app: App | undefined
      let scope: Scope | undefined
      if (who === 'app') app = await access.app(callerHeaders(raw.rawHeaders).appId)
      else if (who !== 'nobody') {
        scope = await scopeOf(request)
        app = scope.app
      }
      const sent = body && raw.method !== 'GET' && raw.method !== 'HEAD' ? await readJson(raw, gathering) : {}
      const data = await route.handle({
        scope: scope as Scope,
        app: app as App,
        params: params && readQuery(params, request.params as Record<string, string>),
        query: query && readQuery(query, request.query as Record<string, string>),
        body: body && (route.readBody ? route.readBody(sent) : read(body, sent)),
        address: request.ip,
        page: () => pageOf(request),
        scopeNow: () => scopeOf(request),
        request: raw,
      })
      if (data instanceof Document) data.send(raw, reply.raw)
      else if (data instanceof Written) await data.write(reply.raw, closing)
      else if (data instanceof Answered) send(raw, reply.raw, 200, success(data.data), data.headers)
      else send(raw, reply.raw, 200, success(data), headers)
      meter.answered(200, startedAt)
    } catch (error) {
      if (error instanceof Gone) return
      meter.answered(refusals.answer(raw, reply.raw, error, path, who === 'nobody'), startedAt)
    }
  }
  return (request: FastifyRequest, reply: FastifyReply): void => {
    reply.hijack()
    void serve(request, reply)
  }
}

const mayCall = (who: Who, scope: Scope): void => {
  if (who === 'admin' && !(scope.kind === 'app' && scope.token.kind === 'admin')) {
    throw new Refused('notAllowed', 'only an admin token without group_id and user_id may do this')
  }
  if (who === 'user' && scope.kind === 'app') {
    throw new Refused('badParameter', 'header user_id must say as which user this is called')
  }
  if (who === 'user' && scope.kind === 'group') {
    throw new Refused('notAllowed', 'this is called as one user, not as a group')
  }
}
