import type { IncomingMessage } from 'node:http'
import { Document } from './document.ts'
import { callerHeaders } from './headers.ts'
import { type Route, route } from './route.ts'

const TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export interface MetricsParts {
  text(): string
  /** Resolves when this is an admin token of any app. */
  operator(accessToken: string | undefined): Promise<void>
}

export const metricsRoute = ({ text, operator }: MetricsParts): Route =>
  route({
    method: 'GET',
    path: '/metrics',
    who: 'nobody',
    noun: 'operations',
    summary: 'What this node measures, for Prometheus: from the same machine, or with an admin token of any app.',
    document: TYPE,
    refuses: ['badParameter', 'tokenMissing', 'tokenInvalid', 'tokenExpired', 'notAllowed'],
    handle: async ({ request }) => {
      if (!isLocal(request)) await operator(callerHeaders(request.rawHeaders).accessToken ?? bearerOf(request))
      return new Document(TYPE, text(), { 'cache-control': 'no-store' })
    },
  })

/** A process of this machine that speaks for itself: what a proxy passes on came from somewhere else. */
const isLocal = ({ socket, headers }: IncomingMessage): boolean =>
  /^(::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? '') &&
  headers['x-forwarded-for'] === undefined &&
  headers['x-real-ip'] === undefined &&
  headers.forwarded === undefined

/** Prometheus sends tokens so without being told how. */
const bearerOf = ({ headers }: IncomingMessage): string | undefined =>
  /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
