/** Where a server is, and who we are there. */
export interface NatsServer {
  host: string
  port: number
  /** Without it, TLS is used where the server demands it. */
  tls: boolean
  user?: string
  pass?: string
  token?: string
}

/** From the addresses of one server or of a cluster's, with commas between; throws a sentence when they are none. */
export const natsServers = (urls: string): NatsServer[] => urls.split(',').map((url) => natsServer(url.trim()))

const natsServer = (url: string): NatsServer => {
  const parsed = URL.parse(url)
  // What was given stays unsaid: it may hold a password.
  if (!parsed || !['nats:', 'tls:'].includes(parsed.protocol) || parsed.hostname === '') {
    throw new Error('must be an address such as nats://host:4222 or tls://user:password@host:4222')
  }
  const [name, pass] = [decodeURIComponent(parsed.username), decodeURIComponent(parsed.password)]
  const who = name === '' ? {} : pass === '' ? { token: name } : { user: name, pass }
  return { host: parsed.hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(parsed.port || 4222), tls: parsed.protocol === 'tls:', ...who }
}
