import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, Server as TlsServer } from 'node:https'
import { Server as NetServer } from 'node:net'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Refused } from '@carillon/protocol/errors.ts'
import proxyAddress from '@fastify/proxy-addr'
import fastify, { type FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { Gathering } from './body.ts'
import { type Callers, serveRoute } from './call.ts'
import { serveConsole } from './console.ts'
import { allowOrigins } from './cors.ts'
import { onTheWire } from './envelope.ts'
import { countUnrouted } from './meter.ts'
import { answerParserError } from './parser-errors.ts'
import { methodsOf, Paths } from './paths.ts'
import { Refusals } from './refusals.ts'
import type { Route } from './route.ts'

export interface HttpOptions {
  routes: readonly Route[]
  access: Callers
  log: Logger
  /** Failures answer with HTTP status 200 too: some clients of this interface read the code alone. */
  alwaysOk?: boolean
  /** Whose X-Forwarded-For counts: addresses, or how many proxies stand in front. */
  trustProxy?: string[] | number
  corsOrigins?: readonly string[]
  /** Where the files of the console are; without it there is no page at /. */
  consoleFolder?: string
  tls?: { cert: string | Buffer; key: string | Buffer }
  timeouts?: Partial<Timeouts>
  /** Bytes of bodies that may be gathered at once; a call beyond them is told to come back. */
  gatheringLimit?: number
}

interface Timeouts {
  /** A whole request, body included: long enough for an attachment of 20 MB over a slow line. */
  requestMs: number
  headersMs: number
  /** Longer than the 60 s after which load balancers usually give up an idle connection: they must close first. */
  keepAliveMs: number
  /** How often the first two are looked at. */
  checkMs: number
}

const DRAIN_LOOK_MS = 20
const QUIET_MS = 0.1
const TURNS_AT_MOST = 1_000

const usualTimeouts: Timeouts = { requestMs: 60_000, headersMs: 15_000, keepAliveMs: 65_000, checkMs: 2_000 }

/**
 * The HTTP door. Fastify brings the router and the server's life; headers, bodies, answers and refusals are ours, so
 * that every answer is an envelope and a call costs one function.
 */
export const buildHttp = (options: HttpOptions): FastifyInstance => {
  const refusals = new Refusals(options.log, options.alwaysOk ?? false)
  const paths = new Paths()
  const http = fastify({
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false, // a request on an open connection is still served, and the connection closed after it
    trustProxy: trusted(options.trustProxy),
    routerOptions: { maxParamLength: 512 },
    serverFactory: (handler) => makeServer(handler, options, refusals),
    clientErrorHandler: answerParserError,
    frameworkErrors: (error, request, reply) => {
      reply.hijack()
      const refused = new Refused('badParameter', 'the path is malformed', { detail: error.message })
      countUnrouted(refusals.answer(request.raw, reply.raw, refused))
    },
  })
  // Bodies are read by the routes themselves, after the caller is known.
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    http.addHttpMethod(method, { hasBody: false, overrideExisting: true })
  }
  if (options.corsOrigins?.length) allowOrigins(http, options.corsOrigins, paths)
  http.addHook('onRoute', ({ method, url }) => paths.add(url, [method].flat()))
  http.setNotFoundHandler((request, reply) => {
    reply.hijack()
    const known = paths.find(request.url)
    if (known) reply.raw.setHeader('allow', known.methods.join(', '))
    const refused = new Refused(known ? 'methodUnknown' : 'pathUnknown')
    countUnrouted(refusals.answer(request.raw, reply.raw, refused, known?.path))
  })
  http.setErrorHandler((error, request, reply) => {
    reply.hijack()
    countUnrouted(refusals.answer(request.raw, reply.raw, error, request.routeOptions.url))
  })
  const gathering = new Gathering(options.gatheringLimit ?? 64 * 1_048_576)
  const closing = new AbortController()
  http.addHook('preClose', async () => closing.abort())
  for (const route of options.routes) {
    http.route({
      method: methodsOf(route),
      url: route.path,
      handler: serveRoute(route, { access: options.access, refusals, gathering, closing: closing.signal }),
    })
  }
  if (options.consoleFolder !== undefined) serveConsole(http, options.consoleFolder)
  return http
}

/** False rather than an empty list: Fastify then takes the socket's address without looking at headers. */
const trusted = (proxies: string[] | number = []) => {
  if (typeof proxies === 'number') return (_address: string, hop: number) => hop < proxies
  return proxies.length > 0 && proxies
}

/** The source address of a request that does not pass through the router, such as an upgrade. */
export const addressReader = (proxies: string[] | number | undefined) => {
  const trust = trusted(proxies)
  return (request: IncomingMessage): string => proxyAddress(request, trust || [])
}

const makeServer = (handler: RequestListener, { tls, timeouts }: HttpOptions, refusals: Refusals): Server => {
  const { requestMs, headersMs, keepAliveMs, checkMs } = { ...usualTimeouts, ...timeouts }
  const options = {
    requestTimeout: requestMs,
    headersTimeout: Math.min(headersMs, requestMs),
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: checkMs,
    requireHostHeader: false, // Node would answer without an envelope, and no route asks for it
    // Some clients offer HTTP/2 with an upgrade header in every call; they mean the call.
    shouldUpgradeCallback: ({ headers }: IncomingMessage) =>
      headers.upgrade?.toLowerCase() === 'websocket' && server.listenerCount('upgrade') > 0,
  }
  const server: Server = tls ? createTlsServer({ ...options, ...tls }, handler) : createServer(options, handler)
  server.on('connect', (_request, socket) => {
    socket.on('error', () => {}) // a caller that hangs up on the refusal
    socket.end(onTheWire(405, 40500, 'no such method on this path', ['allow: GET']))
  })
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    countUnrouted(refusals.answer(request, response, new Refused('badParameter', 'header expect must be 100-continue')))
  })
  return server
}

/** Opens the door; the bound address as a URL. */
export const openHttp = async (http: FastifyInstance, host: string, port: number): Promise<string> => {
  const url = await http.listen({ host, port })
  return http.server instanceof TlsServer ? url.replace('http:', 'https:') : url
}

/**
 * Resolves after a turn of the event loop in which nothing happened. A turn begins by letting in whoever waits at the
 * door; who comes after that is cut off when the door closes, and may have said something already.
 */
const quietTurn = async (): Promise<void> => {
  for (let turn = 0; turn < TURNS_AT_MOST; turn += 1) {
    const began = performance.now()
    await setImmediate()
    if (performance.now() - began < QUIET_MS) return
  }
}

/**
 * For when callers have another node to go to. Nobody new is let in: who is refused has said nothing yet and goes
 * elsewhere, and who comes over a connection that stays open is not at the door when it closes. Those connections are
 * each closed by an answer that says so, never while a call is on its way over it. Resolves when none is left, or after
 * `ms`: what is idle for so long is not likely to be used now.
 */
export const drainHttp = async (http: FastifyInstance, ms: number): Promise<void> => {
  http.server.prependListener('request', (_request, response) => (response.shouldKeepAlive = false))
  await quietTurn()
  NetServer.prototype.close.call(http.server) // the HTTP server's own would cut off idle connections
  const until = performance.now() + ms
  const count = promisify(http.server.getConnections.bind(http.server))
  while (performance.now() < until && (await count()) > 0) await setTimeout(DRAIN_LOOK_MS)
}

/**
 * Stops accepting, closes idle connections at once and lets calls in flight finish; what is still open after `graceMs`
 * is cut off.
 */
export const closeHttp = async (http: FastifyInstance, graceMs: number): Promise<void> => {
  const cut = globalThis.setTimeout(() => http.server.closeAllConnections(), graceMs)
  // An answer given while closing may leave its connection open for the next call, which nobody would take.
  const idle = setInterval(() => http.server.closeIdleConnections(), 50)
  await http.close()
  clearTimeout(cut)
  clearInterval(idle)
}
