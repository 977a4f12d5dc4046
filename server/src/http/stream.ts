import type { ServerResponse } from 'node:http'
import { badField, Refused } from '@carillon/protocol/errors.ts'
import { Type } from '@carillon/protocol/type.ts'
import { Default, Int } from '@carillon/protocol/types.ts'
import { callerHeaders } from './headers.ts'
import { type Route, route } from './route.ts'
import { Written } from './written.ts'

export interface StreamParts {
  /** Begins the stream; throws Refused while nothing is written yet. */
  open(credentials: { pushToken: string; accessToken: string; qos: 0 | 1 }, response: ServerResponse): Promise<void>
}

const Query = Type.Object({
  qos: Default(Int(0, 1, { description: '1: acknowledged by a receipt. 0: final once written.' }), 1),
})

export const streamRoute = ({ open }: StreamParts): Route =>
  route({
    method: 'GET',
    path: '/push/stream',
    who: 'any',
    noun: 'devices',
    headersOnly: true,
    summary: 'The pushes of a device as server-sent events: what waits, then what comes.',
    asks: { 'push-token': "The device, by its push token; the access token is its owner's." },
    query: Query,
    document: 'text/event-stream',
    refuses: ['notFound', 'notAllowed', 'tooMany'],
    handle: async ({ scope, query, request }) => {
      const { pushToken, accessToken } = callerHeaders(request.rawHeaders)
      if (pushToken === undefined) throw badField('header push-token', 'is required')
      if (scope.token.kind !== 'user') throw new Refused('notAllowed', "a stream needs a token of the device's owner")
      const credentials = { pushToken, accessToken: accessToken!, qos: query.qos === 0 ? 0 : 1 } as const
      return new Written((response) => open(credentials, response))
    },
  })
