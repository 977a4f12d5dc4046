import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { Refused } from '@carillon/protocol/errors.ts'
import { pino } from 'pino'
import type { App, AppSettings, Scope } from '../store/scope.ts'
import type { Callers } from './call.ts'
import type { Route } from './route.ts'
import { buildHttp, closeHttp, type HttpOptions, openHttp } from './server.ts'

export interface Answered {
  status: number
  headers: Headers
  /** `data` is whatever JSON it is: tests say what they expect of it. */
  body: { code: number; data: ReturnType<typeof JSON.parse>; message: string | null }
}

/** For tests: a door on a free port, and the ways to knock. */
export const openDoor = async (t: TestContext, routes: Route[], options: Partial<HttpOptions> = {}) => {
  const lines: string[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) })
  const http = buildHttp({ routes, access: callers, log, ...options })
  const url = await openHttp(http, '127.0.0.1', 0)
  const port = Number(new URL(url).port)
  let open = true
  const close = async () => {
    if (open) await closeHttp(http, 5_000)
    open = false
  }
  t.after(close)

  const call = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answered> => {
    const response = await fetch(url + path, {
      method,
      headers: { app_id: 'demo', ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    })
    return { status: response.status, headers: response.headers, body: (await response.json()) as Answered['body'] }
  }

  const dial = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {}) // tests look at what arrived
    await once(socket, 'connect')
    return socket
  }

  /** Writes bytes as they are and gives everything that comes back until the other side closes. */
  const talk = async (...parts: (string | Buffer)[]): Promise<string> => {
    const socket = await dial()
    const answer = gather(socket)
    for (const part of parts) socket.write(part)
    return answer
  }

  return { http, url, port, lines, call, dial, talk, close }
}

/** Everything a socket brings until it closes. */
export const gather = async (socket: Socket): Promise<string> => {
  let text = ''
  socket.on('data', (chunk) => (text += chunk.toString()))
  socket.resume()
  // Not once(): a connection that was reset has still brought its answer.
  if (!socket.closed) await new Promise<void>((resolve) => socket.on('close', () => resolve()))
  return text
}

/** The envelope at the end of a raw answer. */
export const envelopeOf = (answer: string): Answered['body'] =>
  JSON.parse(answer.slice(answer.lastIndexOf('\r\n\r\n') + 4)) as Answered['body']

export const demo: App = {
  id: 1,
  app_id: 'demo',
  name: 'Demo',
  settings: { push_enabled: true, registration_enabled: true, alias_by: 'user' } as AppSettings,
}

/** Tokens say what they are: `admin`, or `user 7` and, when issued for a device, `user 7 device 3`. */
const callers: Callers = {
  app: async (appId) => {
    if (appId === undefined) throw new Refused('badParameter', 'header app_id is required')
    if (appId !== demo.app_id) throw new Refused('appUnknown')
    return demo
  },
  scope: async ({ appId, accessToken, groupId, userId }): Promise<Scope> => {
    const app = await callers.app(appId)
    if (accessToken === undefined) throw new Refused('tokenMissing')
    const [kind, user, , device] = accessToken.split(' ')
    if (kind === 'user') {
      const owner = { userId: Number(user), deviceId: device ? Number(device) : null }
      return { app, kind: 'user', id: owner.userId, token: { id: 2, kind: 'user', name: null, expiresAt: null, ...owner } }
    }
    if (kind !== 'admin') throw new Refused('tokenInvalid')
    const token = { id: 1, kind: 'admin', name: 'ci', userId: null, deviceId: null, expiresAt: null } as const
    if (groupId !== undefined) return { app, kind: 'group', id: Number(groupId), token }
    if (userId !== undefined) return { app, kind: 'user', id: Number(userId), token }
    return { app, kind: 'app', id: 0, token }
  },
}
