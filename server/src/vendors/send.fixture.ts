import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { pino } from 'pino'
import { type Exchanged, Sender, type Sending } from './send.ts'
import type { Reply, VendorRequest } from './vendor.ts'

/** A sender whose clock is moved by the test, and what it logged. */
export const startSender = (t: TestContext) => {
  let reads = 0
  const clock = {
    at: 1,
    now: () => {
      reads += 1
      return clock.at
    },
  }
  /** By now every connection was looked at, and nothing came of it. */
  const looked = (): Promise<void> => {
    const enough = reads + 20
    return until(() => reads >= enough)
  }
  const logged: Record<string, unknown>[] = []
  let onLog = (): void => {}
  const write = (line: string): void => {
    logged.push(JSON.parse(line))
    onLog()
  }
  const log = pino({ level: 'debug', base: undefined }, { write })
  const sender = new Sender({ log, clock, random: () => 0, lookMs: 5 })
  t.after(() => sender.close())

  const asked = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"to":"ann"}' } as const
  const how = { protocol: 'h2', key: 'lane', timeoutMs: 10_000 } as const
  const ask = (origin: string, path: string, sending?: Partial<Sending>, request?: Partial<VendorRequest>) =>
    sender.exchange({ origin, path, ...asked, ...request }, { ...how, ...sending })
  return { sender, clock, looked, logged, ask, whenLogged: (then: () => void) => (onLog = then) }
}

/** The status, or what happened instead. */
export const outcome = (exchanged: Exchanged): number | string =>
  exchanged.kind === 'reply' ? exchanged.reply.status : exchanged.kind

/** Looks again and again until it is true; a promise that is not kept ends with the test's own time. */
export const until = async (isTrue: () => boolean): Promise<void> => {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 2))
}

/** A certificate for this machine, signed by itself, and its key. */
export const makePair = (name = 'localhost'): { cert: string; key: string } => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-sender-'))
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`]
  const files = ['-keyout', key, '-out', cert]
  execFileSync('openssl', ['req', '-x509', ...newKey, ...files, '-days', '2', ...subject], { stdio: 'ignore' })
  const pair = { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
  rmSync(folder, { recursive: true })
  return pair
}

export const replyIn = (exchanged: Exchanged): Reply => {
  if (exchanged.kind === 'reply') return exchanged.reply
  throw new Error(`${exchanged.kind}: ${exchanged.why}`)
}

export const whyOf = (exchanged: Exchanged): string =>
  exchanged.kind === 'reply' ? `status ${exchanged.reply.status}` : exchanged.why

export const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))
