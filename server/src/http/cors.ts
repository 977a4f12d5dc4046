import type { FastifyInstance } from 'fastify'
import type { Paths } from './paths.ts'

const headersOfCalls = [
  'content-type', 'access-token', 'app_id', 'app-id', 'group_id', 'group-id', 'user_id', 'user-id',
  'push-token', 'store-token', 'signature',
].join(', ')

/** Lets pages of these origins call from a browser. Their credentials are headers: the cookie is the console's alone. */
export const allowOrigins = (http: FastifyInstance, origins: readonly string[], paths: Paths): void => {
  const allowed = new Set(origins)
  http.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers
    reply.raw.setHeader('vary', 'origin')
    if (origin === undefined || !(allowed.has(origin) || allowed.has('*'))) return done()
    reply.raw.setHeader('access-control-allow-origin', origin)
    reply.raw.setHeader('access-control-expose-headers', 'retry-after')
    const asks = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined
    const known = asks ? paths.find(request.url) : undefined
    if (!known) return done()
    reply.hijack()
    reply.raw.writeHead(204, {
      'access-control-allow-methods': known.methods.join(', '),
      'access-control-allow-headers': headersOfCalls,
      'access-control-max-age': '7200',
    })
    reply.raw.end()
  })
}
