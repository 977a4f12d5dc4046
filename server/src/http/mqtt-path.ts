import { refusedResponses } from './openapi-answers.ts'
import type { OpenApi } from './openapi-document.ts'

/** The one path of this port that is no route: the gateway takes the connection over before it becomes a call. */
export const mqttOverWebSocket: OpenApi['paths'] = {
  '/mqtt': {
    get: {
      operationId: 'getMqtt',
      tags: ['devices'],
      summary: 'Upgrades to a WebSocket that speaks MQTT 3.1.1 or 5: how a device gets its pushes.',
      description:
        'The sub-protocol is mqtt, frames are binary. CONNECT with the push token as username and the access token as ' +
        'password, SUBSCRIBE to `push`, acknowledge with PUBACK; receipts are published to `receipt`. The same is spoken ' +
        'over TCP on the MQTT port.',
      security: [],
      parameters: [
        { name: 'Upgrade', in: 'header', required: true, schema: { type: 'string', const: 'websocket' } },
        { name: 'Sec-WebSocket-Protocol', in: 'header', required: true, schema: { type: 'string', const: 'mqtt' } },
      ],
      responses: {
        101: { description: 'From here on it is MQTT. What it refuses, it refuses in MQTT.' },
        ...refusedResponses(['badParameter', 'pathUnknown', 'tooMany']),
      },
    },
  },
}
