import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../scripts/free-port.ts'
import { query, startPostgres } from '../../scripts/throwaway-postgres.ts'
import type { ApnsAccess } from './peers/apns-access.ts'
import type { ParseSetup } from './peers/parse-server.ts'
import { asInProduction } from './postgres.ts'
import { type Running, startProcess } from './process.ts'
import type { Scratch } from './scratch.ts'

const APP_ID = 'bench'
const MASTER_KEY = randomUUID()
const program = fileURLToPath(new URL('./peers/parse-server.ts', import.meta.url))

/** What its tables say of a push. */
interface PushStatus {
  status: 'pending' | 'running' | 'succeeded' | 'failed'
  numSent: number
  numFailed?: number
}

/** Parse Server in a process of its own. */
export class Parse {
  readonly running: Running
  readonly #setup: ParseSetup

  private constructor(running: Running, setup: ParseSetup) {
    this.running = running
    this.#setup = setup
  }

  /** Runs with a server, and a PostgreSQL, that are gone afterwards. */
  static async with<R>(scratch: Scratch, installed: string, apns: ApnsAccess, work: (parse: Parse) => Promise<R>): Promise<R> {
    const postgres = await startPostgres(asInProduction)
    try {
      const [database, port] = [await postgres.database(), await freePort()]
      const setup = { installed, database, port, appId: APP_ID, masterKey: MASTER_KEY, apns }
      const isUp = (): Promise<boolean> => call(port, '/health').then(() => true, () => false)
      const running = await startProcess(scratch, process.execPath, [program, scratch.file(JSON.stringify(setup))], isUp)
      const result = await work(new Parse(running, setup))
      await running.stop()
      return result
    } finally {
      await postgres.stop()
    }
  }

  /** One device for each token, the first `warmUp` of them in the channel `warm`; all at once, past its API. */
  async addDevices(scratch: Scratch, tokens: readonly string[], warmUp: number): Promise<void> {
    const { port, database, apns } = this.#setup
    await call(port, '/schemas/_Installation', { className: '_Installation' }) // makes the table
    const now = new Date().toISOString()
    const lines = tokens.map((token, i) =>
      // An id of its usual length, and what its own SDK registers.
      [String(i).padStart(10, '0'), now, now, randomUUID(), 'ios', token, apns.topic, i < warmUp ? '["warm"]' : '[]'].join('\t'),
    )
    const file = scratch.file(`${lines.join('\n')}\n`)
    const columns = '"objectId", "createdAt", "updatedAt", "installationId", "deviceType", "deviceToken", "appIdentifier", channels'
    await query(database, `\\copy "_Installation" (${columns}) FROM '${file}'`)
    await query(database, 'VACUUM ANALYZE')
    scratch.remove(file)
  }

  /** Resolves when it says that all were sent: a device counts once the vendor has taken its push. */
  async send(audience: { where: object } | { channels: string[] }, data: object, count: number): Promise<void> {
    const { port } = this.#setup
    const { headers } = await call(port, '/push', { ...audience, data })
    const path = `/classes/_PushStatus/${headers.get('x-parse-push-status-id')}`
    for (;;) {
      const { status, numSent, numFailed = 0 } = (await (await call(port, path)).json()) as PushStatus
      if (status === 'succeeded' && numSent === count) return
      if (status === 'failed' || numFailed > 0) throw new Error(`Parse Server sent ${numSent}; ${numFailed} failed`)
      await pause(50)
    }
  }
}

const call = async (port: number, path: string, body?: object): Promise<Response> => {
  const headers = { 'content-type': 'application/json', 'x-parse-application-id': APP_ID, 'x-parse-master-key': MASTER_KEY }
  const request = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
  const response = await fetch(`http://127.0.0.1:${port}/parse${path}`, request)
  if (!response.ok) throw new Error(`Parse Server answered ${path} with ${await response.text()}`)
  return response
}
