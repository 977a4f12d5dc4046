import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { Overview } from '@carillon/protocol/console-answers.ts'
import { LiveQuery } from '@carillon/protocol/console-bodies.ts'
import { Refused } from '@carillon/protocol/errors.ts'
import { refusalSentences } from '@carillon/protocol/sentences/refusals.ts'
import type { Logger } from 'pino'
import type { App, Scope } from '../store/scope.ts'
import { StoreUnavailable } from '../store/store.ts'
import { some } from './examples.ts'
import { type Route, route } from './route.ts'
import { Written } from './written.ts'

const LOOK_MS = 1_000
const SILENCE_MS = 15_000 // proxies close what says nothing for long
const UNREAD_LIMIT = 1_048_576

export interface LiveParts {
  log: Logger
  overview(app: App): Promise<Overview>
  /** What became of a task so far; undefined where there is none. */
  task(scope: Scope, id: number): Promise<object | undefined>
}

const headers = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-accel-buffering': 'no', // nginx would gather events until its buffer is full
}

const example: Overview = {
  at: some.at,
  pushes_per_minute: 840,
  devices_online: 1,
  devices: 1,
  users: 1,
  funnel: { nativepush: { target: 2, sent: 2, received: 1 } },
  per_minute: [{ at: some.at - (some.at % 60_000), accepted: 1, sent: 2, received: 1 }],
  queue: { tasks: 0, batches: 0, events: 0 },
  lanes: [],
  alarms: [
    {
      kind: 'certificate_expiring',
      vendor: 'apns',
      environment: 1,
      text: 'the certificate com.example.app ends on 2026-12-01',
      told: { name: 'certificate_expiring', values: { name: 'com.example.app', day: '2026-12-01' } },
      since: null,
    },
  ],
}

/** How the app is doing: once, or as it changes. */
export const liveRoutes = (parts: LiveParts): Route[] => [
  route({
    method: 'GET',
    path: '/app/overview',
    who: 'admin',
    noun: 'apps',
    summary: 'How the app is doing: its figures of the last hour, what waits, and what somebody should look at.',
    answer: Overview,
    example: { answer: example },
    handle: ({ app }) => parts.overview(app),
  }),
  route({
    method: 'GET',
    path: '/app/live',
    who: 'admin',
    noun: 'apps',
    summary:
      'The same as server-sent events: `overview` at once and whenever it has changed, at most once a second; with ' +
      'task_id also `task`, with what became of it so far: task_id, state, counters, waiting, reasons, fates. It ' +
      'ends with the access token.',
    query: LiveQuery,
    document: 'text/event-stream',
    refuses: ['notFound'],
    handle: async ({ scope, query: { task_id }, scopeNow }) => {
      if (task_id !== undefined && !(typeof task_id === 'number' && (await parts.task(scope, task_id)))) {
        throw new Refused('notFound', refusalSentences.no_task())
      }
      return new Written(async (response, closing) => {
        response.writeHead(200, headers)
        if (response.req.method === 'HEAD') return void response.end()
        void follow(parts, { response, closing, scopeNow, taskId: task_id as number | undefined })
      })
    },
  }),
]

interface Following {
  response: ServerResponse
  closing: AbortSignal
  scopeNow(): Promise<Scope>
  taskId: number | undefined
}

/** Looks each second, and says what is new. Ends when the caller has gone or may not look any more, or at closing. */
const follow = async (parts: LiveParts, { response, closing, scopeNow, taskId }: Following): Promise<void> => {
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  const signal = AbortSignal.any([closing, gone.signal])
  const said = new Map<string, { text: string; at: number }>()
  const say = (event: string, data: object, news = data): void => {
    const text = JSON.stringify(news)
    const last = said.get(event)
    if (last?.text === text && performance.now() - last.at < SILENCE_MS) return
    said.set(event, { text, at: performance.now() })
    response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  }
  try {
    while (!signal.aborted) {
      await look(parts, { scopeNow, taskId, say })
      if (response.writableLength > UNREAD_LIMIT) break // it reads nothing of it
      await wait(LOOK_MS, undefined, { signal }).catch(() => {})
    }
  } catch (error) {
    // Whoever may not look any more is told by the end of it, and by the answer to the next call.
    if (!(error instanceof Refused)) parts.log.error({ err: error }, 'live figures failed inside')
  }
  response.end()
}

interface Looking extends Pick<Following, 'scopeNow' | 'taskId'> {
  /** `news`: what decides whether it is worth saying. */
  say(event: string, data: object, news?: object): void
}

const look = async ({ overview, task }: LiveParts, { scopeNow, taskId, say }: Looking): Promise<void> => {
  try {
    const scope = await scopeNow()
    const figures = await overview(scope.app)
    say('overview', figures, { ...figures, at: 0 })
    if (taskId === undefined) return
    const became = await task(scope, taskId)
    if (became) say('task', became)
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error // for a while there is nothing to see
  }
}
