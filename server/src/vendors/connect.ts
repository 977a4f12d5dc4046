import { isIP, connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { TlsIdentity } from './vendor.ts'

/** What every TLS connection to a vendor keeps to, whatever flags or environment the process was started with. */
export const tlsRules = (identity: TlsIdentity | undefined) =>
  ({ ...identity, minVersion: 'TLSv1.2', rejectUnauthorized: true }) as const

/** Where an origin leads. An IPv6 address stands in brackets in an origin alone. */
export const placeOf = ({ protocol, hostname, port }: URL) => {
  const isSecure = protocol === 'https:'
  return { isSecure, host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port) || (isSecure ? 443 : 80) }
}

/** A socket for HTTP/2. The name is looked up each time: vendors spread their load that way. */
export const openHttp2Socket = (origin: URL, identity: TlsIdentity | undefined): Socket => {
  const { isSecure, host, port } = placeOf(origin)
  if (!isSecure) return connectTcp({ host, port })
  const servername = isIP(host) === 0 ? host : undefined
  return connectTls({ host, port, servername, ALPNProtocols: ['h2'], ...tlsRules(identity) })
}

/** One line for an operator. A name with several addresses fails once for each: the first stands for all. */
export const wordsOf = (error: unknown): string => {
  if (error instanceof AggregateError && error.errors.length > 0) return wordsOf(error.errors[0])
  const { code, message } = error as NodeJS.ErrnoException
  return code === undefined || message.includes(code) ? message : `${message} (${code})`
}
