import { execFile } from 'node:child_process'
import { generateKeyPairSync, sign } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { connect, type ClientHttp2Session, type ClientHttp2Stream, type SecureClientSessionOptions } from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** What came back for one request; `code` is its stream's when the server ended it without an answer. */
export interface Reply {
  status: number
  headers: Record<string, string>
  body: string
  code: number
}

export interface Client {
  session: ClientHttp2Session
  post(path: string, headers: Record<string, string>, body: string): Promise<Reply>
  close(): void
}

/** An HTTP/2 client that obeys the server's limit of streams from the first request on. */
export const openClient = async (url: string, options: SecureClientSessionOptions = {}): Promise<Client> => {
  const session = connect(url, options)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  session.once('remoteSettings', () => resolve())
  session.on('error', reject)
  await promise
  return {
    session,
    post: (path, headers, body) => replyTo(session.request({ ':method': 'POST', ':path': path, ...headers }), body),
    close: () => session.destroy(),
  }
}

export const replyTo = (stream: ClientHttp2Stream, body: string): Promise<Reply> => {
  const reply: Reply = { status: 0, headers: {}, body: '', code: 0 }
  const { promise, resolve } = Promise.withResolvers<Reply>()
  stream.setEncoding('utf8')
  stream.on('response', ({ ':status': status = 0, ...headers }) => {
    reply.status = status
    reply.headers = headers as Record<string, string>
  })
  stream.on('data', (text: string) => (reply.body += text))
  // The code says it.
  stream.on('error', () => {})
  stream.on('close', () => resolve({ ...reply, code: stream.rstCode ?? 0 }))
  stream.end(body)
  return promise
}

const run = promisify(execFile)

export interface Identity {
  cert: string
  key: string
}

/** A certificate that signs itself, good for loopback and the given names. */
export const makeIdentity = async (subject: string, names: readonly string[] = []): Promise<Identity> => {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-identity-'))
  try {
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
    const alternatives = ['IP:127.0.0.1', 'DNS:localhost', ...names.map((name) => `DNS:${name}`)].join(',')
    await run('openssl', [
      'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2',
      '-subj', subject, '-addext', `subjectAltName=${alternatives}`, '-keyout', key, '-out', cert,
    ])
    return { cert: await readFile(cert, 'utf8'), key: await readFile(key, 'utf8') }
  } finally {
    await rm(folder, { recursive: true })
  }
}

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A JSON Web Token, signed as its header says. */
export const makeJwt = (header: { alg: string; kid?: string }, claims: object, key: string): string => {
  const input = `${part(header)}.${part(claims)}`
  const how = header.alg === 'ES256' ? ({ key, dsaEncoding: 'ieee-p1363' } as const) : key
  return `${input}.${sign('sha256', Buffer.from(input), how).toString('base64url')}`
}

const pems = {
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
} as const
export const makeEcKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256', ...pems })
export const makeRsaKey = () => generateKeyPairSync('rsa', { modulusLength: 2048, ...pems })
