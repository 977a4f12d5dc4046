import test from 'node:test'
import { openClient } from './client.fixture.ts'
import { Fates } from './fates.ts'
import { Inspection } from './inspection.ts'
import { listen } from './listen.ts'
import { Misbehaviour } from './misbehave.ts'
import { serveFrom } from './serve.ts'

test('a simulator that trips over a request says so, and serves the next one', async (t) => {
  const troubles = { limited: () => ({ status: 429, body: '' }), down: (status: number) => ({ status, body: '' }) }
  const handle = ({ path }: { path: string }) => {
    if (path === '/fine') return { status: 200, body: 'fine' }
    if (path === '/later') return Promise.reject(new Error('oh, later'))
    throw new Error('oh')
  }
  const desk = {
    vendor: 'fcm' as const,
    running: { tokensOf: () => [], handle, troubles },
    misbehaviour: new Misbehaviour(1),
    fates: new Fates(),
    inspection: new Inspection(1),
    now: Date.now,
    later() {},
    kill() {},
  }
  const limits = { http1: false, streams: 100, streamsWithCertificate: 100 }
  const listener = await listen({ host: '127.0.0.1', port: 0, tls: undefined, ...limits, serve: serveFrom(desk) })
  t.after(() => listener.close())
  const client = await openClient(`http://127.0.0.1:${listener.port}`)
  t.after(() => client.close())
  t.assert.match((await client.post('/now', {}, '')).body, /^The simulator failed: Error: oh\n/)
  t.assert.match((await client.post('/later', {}, '')).body, /^The simulator failed: Error: oh, later\n/)
  t.assert.equal((await client.post('/fine', {}, '')).body, 'fine')
})
