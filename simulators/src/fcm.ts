import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { fcmAccess, type FcmAccount } from './fcm-access.ts'
import { down, endings, errorAnswer, forbidden, noSuchPage, overQuota, unauthenticated } from './fcm-errors.ts'
import { faultOf, readMessage, type FcmMessage, type FcmRequest } from './fcm-message.ts'
import { DEAD, hexToken } from './sample-token.ts'
import { defineSimulator, type Answer, type Handled, type SimulatorRequest } from './simulator.ts'

const sendPath = /^\/v1\/projects\/([^/]+)\/messages:send$/
const scopes = ['https://www.googleapis.com/auth/firebase.messaging', 'https://www.googleapis.com/auth/cloud-platform']
const MINUTE_MS = 60_000

const options = {
  /** How long access tokens last. */
  tokenSeconds: 3599,
  /** Messages a project may send in a minute. */
  quotaPerMinute: 600_000,
  /** What answers about that quota say in Retry-After; 0: nothing. */
  quotaRetryAfterSeconds: 0,
}

/** Beginnings of tokens that end so without an order. */
const beginnings: Record<string, string> = {
  UNREGISTERED: DEAD,
  INVALID_TOKEN: 'invalid',
  SENDER_ID_MISMATCH: 'mismatch',
  APNS_UNREGISTERED: 'apns-dead',
  THIRD_PARTY_AUTH_ERROR: 'apns-auth',
  DEVICE_QUOTA_EXCEEDED: 'toofast',
  INTERNAL: 'internal',
  UNAVAILABLE: 'unavailable',
}

const addressesOf = ({ token, fid }: FcmMessage): string[] => [token ?? fid ?? ''].filter((address) => address !== '')

declare module './simulator.ts' {
  interface Accounts {
    fcm?: readonly FcmAccount[]
  }
}

/** One for all samples of a process: it takes half a second to make. */
let sampleKey: string | undefined

/** Google's service for Android: one message a request. @public loaded by its name */
export default defineSimulator<FcmAccount, typeof options>({
  name: 'fcm',
  title: 'FCM',
  http1: true,
  streams: 100,
  outcomes: Object.fromEntries(Object.keys(endings).map((ending) => [ending, beginnings[ending] ?? ''])),
  dead: 'UNREGISTERED',
  options,

  sample() {
    const key = (sampleKey ??= generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
    const [projectId, clientEmail] = ['carillon-test', 'push@carillon-test.iam.gserviceaccount.com']
    const privateKeyId = randomBytes(20).toString('hex')
    const file = {
      type: 'service_account', project_id: projectId, private_key_id: privateKeyId, private_key: key,
      client_email: clientEmail, token_uri: 'https://oauth2.googleapis.com/token',
    }
    return {
      account: { projectId, clientEmail, privateKeyId, key },
      certificate: { name: 'fcm', certificate: JSON.stringify(file) },
    }
  },
  sampleToken: (beginning) => hexToken(beginning, 24),

  start(world) {
    const access = fcmAccess(world.accounts, world.now)
    let minute = 0
    let sent = new Map<string, number>()

    /** Counts one message of a project in this minute; false when there were too many. */
    const within = (project: string): boolean => {
      const current = Math.floor(world.now() / MINUTE_MS)
      if (current !== minute) sent = new Map()
      minute = current
      const count = (sent.get(project) ?? 0) + 1
      if (count > world.options.quotaPerMinute) return false
      sent.set(project, count)
      return true
    }

    /** Why this caller may not send for this project. */
    const barrier = (authorization: string | undefined, project: string): Answer | undefined => {
      if (authorization === undefined) return unauthenticated.missing()
      const grant = access.grantOf(/^bearer (.+)$/i.exec(authorization)?.[1] ?? '')
      if (grant === undefined) return unauthenticated.unknown()
      if (world.now() >= grant.endsAt) return unauthenticated.expired()
      if (!grant.scopes.some((scope) => scopes.includes(scope))) return forbidden.scope()
      const { account } = grant
      const isOwn = account === 'any' || account.projectId === project || account.projectNumber === project
      return isOwn ? undefined : forbidden.project(project)
    }

    const overQuotaAnswer = (project: string): Answer => {
      const seconds = world.options.quotaRetryAfterSeconds
      const answer = overQuota(project)
      return seconds > 0 ? { ...answer, headers: { ...answer.headers, 'retry-after': String(seconds) } } : answer
    }

    /** Why this message is not taken. */
    const obstacle = ({ message }: FcmRequest, project: string): Answer | undefined => {
      if (!within(project)) return overQuotaAnswer(project)
      const fault = faultOf(message)
      if (fault !== undefined) return fault
      const [address] = addressesOf(message)
      const ordered = address === undefined ? undefined : world.outcomeOf(address)
      return ordered === undefined ? undefined : endings[ordered]!()
    }

    const send = (request: SimulatorRequest, project: string): Handled => {
      const unread = { tokens: tokensOf(request), taken: [], fields: null }
      const barred = barrier(request.headers.authorization, project)
      if (barred !== undefined) return { ...barred, push: unread }
      if (!request.headers['content-type']?.startsWith('application/json')) {
        return { ...errorAnswer(400, 'INVALID_ARGUMENT', 'Content-Type must be application/json.'), push: unread }
      }
      const read = readMessage(request.body)
      if ('status' in read) return { ...(within(project) ? read : overQuotaAnswer(project)), push: unread }
      const tokens = addressesOf(read.message)
      const refusal = obstacle(read, project)
      if (refusal !== undefined) return { ...refusal, push: { tokens, taken: [], fields: read } }
      const id = read.validate_only ? 'fake_message_id' : `0:${world.now() * 1000}%${randomBytes(8).toString('hex')}`
      return {
        status: 200,
        headers: { 'content-type': 'application/json; charset=UTF-8' },
        body: JSON.stringify({ name: `projects/${project}/messages/${id}` }),
        push: { tokens, taken: read.validate_only ? [] : tokens, fields: read },
      }
    }

    const tokensOf = ({ method, path, body }: SimulatorRequest): string[] => {
      if (method !== 'POST' || !sendPath.test(path)) return []
      const read = readMessage(body)
      return 'status' in read ? [] : addressesOf(read.message)
    }

    return {
      tokensOf,

      handle(request): Handled {
        const { method, path, headers } = request
        if (headers.host === undefined && headers[':authority'] === undefined) return down(400)
        if (method !== 'POST') return noSuchPage(path)
        if (path === '/token') return access.token(request, world.options.tokenSeconds)
        const project = sendPath.exec(path)?.[1]
        return project === undefined ? noSuchPage(path) : send(request, project)
      },

      troubles: {
        limited: () => overQuota('unknown'),
        down,
        expired: () => unauthenticated.expired(),
      },
    }
  },
})
