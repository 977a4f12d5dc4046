import { once } from 'node:events'
import { connect } from 'node:http2'
import { makeJwt } from '@carillon/simulators/client.fixture.ts'
import { readHandedList, sendHandedList } from './handed-list.ts'

// A program of its own: the least that node:http2 can do with a list of device tokens. Everything is built once, nothing
// is kept, counted or repeated; a push that is not taken ends it.
const AT_ONCE = 500

const list = readHandedList()
const session = connect(list.origin, { ca: list.ca })
await once(session, 'remoteSettings')
const { title, body: text, ext } = list
const body = JSON.stringify({ aps: { alert: { title, body: text }, badge: 1 }, ext })
const claims = { iss: list.teamId, iat: Math.floor(Date.now() / 1000) }
const lines = [
  ':method', 'POST', ':authority', new URL(list.origin).host, ':scheme', 'https',
  'authorization', `bearer ${makeJwt({ alg: 'ES256', kid: list.keyId }, claims, list.signingKey)}`,
  'apns-topic', list.topic, 'apns-push-type', 'alert', 'apns-priority', '10',
  'content-length', String(Buffer.byteLength(body)),
]

await sendHandedList(list, async (tokens) => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let [begun, ended] = [0, 0]
  const next = (): void => {
    const stream = session.request([...lines, ':path', `/3/device/${tokens[begun++]}`])
    stream.on('response', (headers) => {
      if (headers[':status'] !== 200) throw new Error(`a push was answered with ${headers[':status']}`)
    })
    stream.on('close', () => {
      ended += 1
      if (begun < tokens.length) next()
      else if (ended === tokens.length) resolve()
    })
    stream.resume()
    stream.end(body)
  }
  for (let i = 0; i < Math.min(AT_ONCE, tokens.length); i++) next()
  await promise
})
