import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** One request as it came over the wire, secrets included. */
export interface Call {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
}

type Said = (call: Call) => string | undefined

/** What somebody who listens on the way of the server's requests hears, and may say in place of whom they are for. */
export interface Tap {
  url: string
  /** Every request so far, in order. */
  calls: Call[]
  /** Those that come while the work goes on. */
  during(work: () => Promise<unknown>): Promise<Call[]>
  /** The same, while what `said` says is answered in place of whom a request is for; undefined lets it pass. */
  answering(said: Said, work: () => Promise<unknown>): Promise<Call[]>
  /** Whom requests are for; before that they are answered with nothing. */
  lead(origin: string): void
}

const relayed = ['authorization', 'authtoken', 'content-type']

/** Stands between the server and a simulator, which shows pushes alone and only answers what its vendor would. */
export const startTap = async (t: { after(work: () => unknown): void }): Promise<Tap> => {
  let origin: string | undefined
  let instead: Said | undefined
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const call = { method: request.method!, path: request.url!, headers: request.headers, body: await text(request) }
      tap.calls.push(call)
      const said = instead?.(call)
      if (said !== undefined) return void response.writeHead(200, { 'content-type': 'application/json' }).end(said)
      if (origin === undefined) return void response.writeHead(204).end()
      const headers = Object.entries(request.headers).filter(([name]) => relayed.includes(name)) as [string, string][]
      const passed = await fetch(origin + call.path, { method: call.method, headers, body: call.body })
      const type = passed.headers.get('content-type') ?? 'text/plain'
      response.writeHead(passed.status, { 'content-type': type }).end(await passed.text())
    }
    answer().catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const tap: Tap = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: [],
    async during(work) {
      const since = tap.calls.length
      await work()
      return tap.calls.slice(since)
    },
    async answering(said, work) {
      instead = said
      try {
        return await tap.during(work)
      } finally {
        instead = undefined
      }
    },
    lead: (to) => (origin = to),
  }
  return tap
}
