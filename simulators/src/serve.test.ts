import test from 'node:test'
import { openClient } from './client.fixture.ts'
import { Fates } from './fates.ts'
import { Inspection } from './inspection.ts'
import { listen } from './listen.ts'
import { Misbehaviour } from './misbehave.ts'
import { type Desk, serveFrom } from './serve.ts'

const troubles = { limited: () => ({ status: 429, body: '' }), down: (status: number) => ({ status, body: '' }) }

const deskOf = (running: Desk['running'], now = Date.now): Desk => ({
  vendor: 'fcm',
  running,
  misbehaviour: new Misbehaviour(1),
  fates: new Fates(),
  inspection: new Inspection(1),
  now,
  later() {},
  kill() {},
})

test('a simulator that trips over a request says so, and serves the next one', async (t) => {
  const handle = ({ path }: { path: string }) => {
    if (path === '/fine') return { status: 200, body: 'fine' }
    if (path === '/later') return Promise.reject(new Error('oh, later'))
    throw new Error('oh')
  }
  const desk = deskOf({ tokensOf: () => [], handle, troubles })
  const limits = { http1: false, streams: 100, streamsWithCertificate: 100 }
  const listener = await listen({ host: '127.0.0.1', port: 0, tls: undefined, ...limits, serve: serveFrom(desk) })
  t.after(() => listener.close())
  const client = await openClient(`http://127.0.0.1:${listener.port}`)
  t.after(() => client.close())
  t.assert.match((await client.post('/now', {}, '')).body, /^The simulator failed: Error: oh\n/)
  t.assert.match((await client.post('/later', {}, '')).body, /^The simulator failed: Error: oh, later\n/)
  t.assert.equal((await client.post('/fine', {}, '')).body, 'fine')
})

test('a Retry-After counts from before its answer left, however late that is written down', (t) => {
  let now = 1_000
  const handle = () => ({ status: 200, body: '', push: { tokens: ['a'], taken: ['a'], fields: null } })
  const desk = deskOf({ tokensOf: () => ['a'], handle, troubles }, () => now)
  desk.misbehaviour.order({ fault: 'limited', retryAfterSeconds: 3, times: 1 })
  const answer = (): boolean => {
    now += 500 // somebody else had the processor
    return true
  }
  const connection = { protocol: 'h1' as const, tls: false, clientCertificate: undefined, limitStreams() {} }
  const request = { method: 'POST', path: '/', query: new URLSearchParams(), headers: {}, repeated: [], body: '', connection }
  const exchange = { request, late: false, answer, begin() {}, refuse() {}, reset() {}, goAway() {}, freeze() {} }
  const come = (): void => serveFrom(desk)(exchange)
  come()
  now = 3_999
  come()
  now = 4_000
  come()
  t.assert.deepEqual(desk.fates.byToken.get('a'), { taken: 2, answered: 2, ambiguous: 0, refused: 1, early: 1 })
})
