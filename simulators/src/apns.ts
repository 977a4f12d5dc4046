import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import { apnsAccess, type ApnsAccount, type Provider } from './apns-access.ts'
import { outcomes, reasons, type Reason } from './apns-reasons.ts'
import { defineSimulator, type Answer, type Connection, type Handled, type SimulatorRequest } from './simulator.ts'

const DEVICE_PATH = '/3/device/'
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** 64 digits on phones, up to 160 elsewhere. */
const deviceToken = /^([0-9a-f]{2}){32,100}$/i
const topicShape = /^[\w.-]+$/
const COLLAPSE_ID_BYTES = 64
const PAYLOAD_BYTES = 4096
const VOIP_PAYLOAD_BYTES = 5120

/** Push types, and what their topics end with; undefined where the topic is not an app's. */
const topicEnds: Record<string, string | undefined> = {
  alert: '',
  background: '',
  voip: '.voip',
  complication: '.complication',
  fileprovider: '.pushkit.fileprovider',
  location: '.location-query',
  liveactivity: '.push-type.liveactivity',
  pushtotalk: '.voip-ptt',
  widgets: '.push-type.widgets',
  controls: '.push-type.controls',
  mdm: undefined,
}

const options = {
  /** The other of Apple's two services: its answers carry apns-unique-id. */
  sandbox: false,
  /** How many streams a connection may open once a push was taken on it. */
  streams: 1000,
  /** Back to one stream after a push that was turned down, until one is taken. */
  lowerAfterRejection: false,
  /** How long ago dead vendor tokens died, for the timestamp of their answers. */
  deadForMs: 0,
}

const json = { 'content-type': 'application/json' }
const reject = (reason: string, status: number, more = {}): Answer => ({
  status,
  headers: json,
  body: JSON.stringify({ reason, ...more }),
})

/** Apple does not tell apart the letters' cases. */
const tokenOf = ({ path }: SimulatorRequest): string =>
  path.startsWith(DEVICE_PATH) ? path.slice(DEVICE_PATH.length).toLowerCase() : ''
const tokensOf = (request: SimulatorRequest): string[] => (tokenOf(request) === '' ? [] : [tokenOf(request)])

const payloadIn = (body: string): object | undefined => {
  try {
    const payload: unknown = JSON.parse(body)
    return typeof payload === 'object' && payload !== null && !Array.isArray(payload) ? payload : undefined
  } catch {
    return undefined
  }
}

/** What is wrong with the request itself, whoever sent it, up to the device it names. */
const fault = ({ method, path, headers, repeated, connection }: SimulatorRequest): Reason | undefined => {
  const type = headers['apns-push-type']
  const priority = headers['apns-priority']
  const topic = headers['apns-topic']
  if (repeated.length > 0) return 'DuplicateHeaders'
  if (headers['apns-id'] !== undefined && !uuid.test(headers['apns-id'])) return 'BadMessageId'
  if (method !== 'POST') return 'MethodNotAllowed'
  if (topic === undefined && connection.clientCertificate === undefined) return 'MissingTopic'
  if (topic !== undefined && !topicShape.test(topic)) return 'BadTopic'
  // Node gives header values as one character a byte.
  if ((headers['apns-collapse-id'] ?? '').length > COLLAPSE_ID_BYTES) return 'BadCollapseId'
  if (priority !== undefined && !['1', '5', '10'].includes(priority)) return 'BadPriority'
  if (type === 'background' && priority === '10') return 'BadPriority'
  if (!/^\d+$/.test(headers['apns-expiration'] ?? '0')) return 'BadExpirationDate'
  if (type !== undefined && !Object.hasOwn(topicEnds, type)) return 'InvalidPushType'
  if (topic !== undefined && !topic.endsWith(topicEnds[type ?? 'alert'] ?? '')) return 'BadTopic'
  if (!path.startsWith(DEVICE_PATH)) return 'BadPath'
  if (path === DEVICE_PATH) return 'MissingDeviceToken'
  return deviceToken.test(path.slice(DEVICE_PATH.length)) ? undefined : 'BadDeviceToken'
}

/** Whether this provider may push to the topic the request names, or leaves out. */
const topicFault = ({ topics }: Provider, { headers, connection }: SimulatorRequest): Reason | undefined => {
  const type = headers['apns-push-type'] ?? 'alert'
  const topic = headers['apns-topic']
  if (connection.clientCertificate !== undefined && type === 'location') return 'InvalidPushType'
  // Only a certificate for one topic says by itself which one is meant.
  if (topic === undefined) return topics.length === 1 ? undefined : 'MissingTopic'
  const app = topic.slice(0, topic.length - (topicEnds[type] ?? '').length)
  return topics === 'any' || topics.includes(app) || topics.includes(topic) ? undefined : 'TopicDisallowed'
}

const payloadFault = ({ body, headers }: SimulatorRequest, payload: object | undefined): Reason | undefined => {
  if (payload === undefined || Object.keys(payload).length === 0) return 'PayloadEmpty'
  const most = headers['apns-push-type'] === 'voip' ? VOIP_PAYLOAD_BYTES : PAYLOAD_BYTES
  return Buffer.byteLength(body) > most ? 'PayloadTooLarge' : undefined
}

const fieldsOf = ({ headers, body }: SimulatorRequest, payload: object | undefined) => ({
  id: headers['apns-id'],
  topic: headers['apns-topic'],
  push_type: headers['apns-push-type'],
  priority: headers['apns-priority'],
  expiration: headers['apns-expiration'],
  collapse_id: headers['apns-collapse-id'],
  payload: payload ?? body,
})

declare module './simulator.ts' {
  interface Accounts {
    apns?: readonly ApnsAccount[]
  }
}

/** Apple's service for iPhones and their kin: HTTP/2 alone, one device a request. @public loaded by its name */
export default defineSimulator<ApnsAccount, typeof options>({
  name: 'apns',
  title: 'APNs',
  http1: false,
  // One until Apple trusts the sender: a push with a good token must be taken first. A certificate is trusted at once.
  streams: 1,
  streamsWithCertificate: options.streams,
  outcomes,
  dead: 'Unregistered',
  options,

  sample() {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const [topic, keyId, teamId] = ['com.example.app', 'KEY1234567', 'TEAM123456']
    return {
      account: { topics: [topic], teamId, keyId, key },
      certificate: { name: 'apns', app_id: topic, app_key: keyId, app_secret: teamId, certificate: key },
    }
  },
  sampleToken: (beginning) => (beginning + randomBytes(32).toString('hex')).slice(0, 64),

  start(world) {
    const access = apnsAccess(world.accounts)
    const limits = new WeakMap<Connection, number>()

    const limitStreams = (connection: Connection, count: number): void => {
      const before = limits.get(connection) ?? (connection.clientCertificate ? options.streams : 1)
      if (before === count) return
      limits.set(connection, count)
      connection.limitStreams(count)
    }

    /** The reason it is turned down, in the order of checks that is closest to what has been seen. */
    const judge = (request: SimulatorRequest, payload: object | undefined): Reason | undefined => {
      const wrong = fault(request)
      if (wrong !== undefined) return wrong
      const ordered = world.outcomeOf(tokenOf(request))
      const isOfDevice = ordered !== undefined && [400, 410].includes(reasons[ordered as Reason])
      if (isOfDevice) return ordered as Reason
      const { connection, headers } = request
      const environment = world.options.sandbox ? 'sandbox' : 'production'
      const provider = access({ connection, authorization: headers.authorization, environment, now: world.now() })
      if (typeof provider === 'string') return provider
      return topicFault(provider, request) ?? payloadFault(request, payload) ?? (ordered as Reason | undefined)
    }

    const answerTo = (reason: Reason, id: string): Answer => {
      const timestamp = reasons[reason] === 410 ? { timestamp: world.now() - world.options.deadForMs } : {}
      const answer = reject(reason, reasons[reason], timestamp)
      return { ...answer, headers: { ...answer.headers, 'apns-id': id } }
    }

    return {
      tokensOf,

      handle(request): Handled {
        const id = request.headers['apns-id'] ?? randomUUID()
        const payload = payloadIn(request.body)
        const reason = judge(request, payload)
        const tokens = tokensOf(request)
        const push = { tokens, taken: reason === undefined ? tokens : [], fields: fieldsOf(request, payload) }
        if (reason === undefined) limitStreams(request.connection, world.options.streams)
        else if (world.options.lowerAfterRejection) limitStreams(request.connection, 1)
        if (reason !== undefined) return { ...answerTo(reason, id), push }
        const unique: Record<string, string> = world.options.sandbox ? { 'apns-unique-id': randomUUID() } : {}
        return { status: 200, headers: { 'apns-id': id, ...unique }, body: '', push }
      },

      troubles: {
        limited: () => reject('TooManyRequests', 429),
        down: (status) => reject(status === 503 ? 'ServiceUnavailable' : 'InternalServerError', status),
        expired: () => reject('ExpiredProviderToken', 403),
      },
    }
  },
})
