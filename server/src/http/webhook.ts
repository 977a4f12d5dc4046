import { randomBytes } from 'node:crypto'
import { WebhookEvents, WebhookReplay, WebhookSet } from '@carillon/protocol/bodies.ts'
import { eventAnswerOf } from '@carillon/protocol/sentences/events.ts'
import { EventList, Replayed, WebhookRecordOrNull, WebhookSecret } from '@carillon/protocol/answers.ts'
import { Refused } from '@carillon/protocol/errors.ts'
import { refusalSentences } from '@carillon/protocol/sentences/refusals.ts'
import { actorOf } from '../access/actor.ts'
import type { Seal } from '../access/seal.ts'
import type { Clock } from '../clock.ts'
import { addEvent, deleteWebhook, listEvents, readWebhook, replayEvents, setWebhook } from '../store/events.ts'
import type { Store } from '../store/store.ts'
import { readStored } from '../store/stored-json.ts'
import { some } from './examples.ts'
import { type Route, route } from './route.ts'

export const webhookSeat = (app: number): string => `webhook/${app}`

const none = (): never => {
  throw new Refused('notFound', refusalSentences.no_webhook())
}

export const webhookRoutes = ({ store, clock, seal }: { store: Store; clock: Clock; seal: Seal }): Route[] => [
  route({
    method: 'PUT',
    path: '/app/webhook',
    who: 'admin',
    noun: 'apps',
    summary: 'Sets where events are told. Without a secret one is made; it is shown this once.',
    body: WebhookSet,
    answer: WebhookSecret,
    example: { body: { url: 'https://backend.example.com/carillon' }, answer: { url: 'https://backend.example.com/carillon', secret: 'whs_…' } },
    handle: async ({ scope, app, body }) => {
      const secret = body.secret ?? `whs_${randomBytes(32).toString('base64url')}`
      const sealed = seal.seal(secret, webhookSeat(app.id))
      await store.write(setWebhook, { app: app.id, url: body.url, secret: sealed, actor: actorOf(scope), now: clock.now() })
      return { url: body.url, secret }
    },
  }),
  route({
    method: 'GET',
    path: '/app/webhook',
    who: 'admin',
    noun: 'apps',
    summary: 'Where events are told; null where they are not.',
    answer: WebhookRecordOrNull,
    example: { answer: { url: 'https://backend.example.com/carillon', updated_at: some.at } },
    handle: async ({ app }) => {
      const found = await store.read(readWebhook, { app: app.id })
      return found ? { url: found.url, updated_at: found.updated_at } : null
    },
  }),
  route({
    method: 'DELETE',
    path: '/app/webhook',
    who: 'admin',
    noun: 'apps',
    summary: 'Tells no more events.',
    refuses: ['notFound'],
    handle: async ({ scope, app }) => {
      if (!(await store.write(deleteWebhook, { app: app.id, actor: actorOf(scope), now: clock.now() }))) none()
    },
  }),
  route({
    method: 'POST',
    path: '/app/webhook/test',
    who: 'admin',
    noun: 'apps',
    summary: 'Tells a test event; see what became of it in the list of events.',
    refuses: ['notFound'],
    handle: async ({ scope, app }) => {
      if (!(await store.read(readWebhook, { app: app.id }))) none()
      await store.write(addEvent, { app: app.id, kind: 'webhook.test', data: { by: actorOf(scope) }, now: clock.now() })
    },
  }),
  route({
    method: 'GET',
    path: '/app/webhook/events',
    who: 'admin',
    noun: 'apps',
    summary: 'Events, newest first, with what became of each; the next page begins before the last id of this one.',
    query: WebhookEvents,
    answer: EventList,
    example: {
      query: { limit: 50 },
      answer: [
        {
          id: 1,
          kind: 'task.finished',
          data: { task_id: some.task_id, state: 'done' },
          at: some.at,
          due_at: null,
          attempt: 1,
          delivered_at: some.at + 90,
          answer: 'HTTP 204',
          told: { name: 'said', values: { said: 'HTTP 204' } },
        },
      ],
    },
    handle: async ({ app, query }) =>
      (await store.read(listEvents, { app: app.id, ...query })).map(({ data, ...event }) => ({
        ...event, data: readStored(data), told: event.answer === null ? null : eventAnswerOf(event.answer),
      })),
  }),
  route({
    method: 'POST',
    path: '/app/webhook/replay',
    who: 'admin',
    noun: 'apps',
    summary: 'Tells events again, whatever became of them.',
    body: WebhookReplay,
    answer: Replayed,
    example: { body: { list: [1] }, answer: { replayed: 1 } },
    handle: async ({ app, body }) => {
      const ids = body.list.filter((id) => typeof id === 'number')
      return { replayed: await store.write(replayEvents, { app: app.id, ids, now: clock.now() }) }
    },
  }),
]
