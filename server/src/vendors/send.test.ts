import { once } from 'node:events'
import { createSecureServer, type IncomingHttpHeaders } from 'node:http2'
import { createServer as createHttps } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, suite, test, type TestContext } from 'node:test'
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls'
import { nodeHttp2 } from './node-http2.fixture.ts'
import { rawHttp2, type RawConnection, welcome } from './raw-http2.fixture.ts'
import { makePair, many, outcome, startSender, until, whyOf } from './send.fixture.ts'

const TIMEOUT = { timeout: 20_000 }

suite('keys', TIMEOUT, () => {
  test('two keys never share a connection, the requests of one do', async (t) => {
    const { origin, connections } = await rawHttp2(t, (connection) => welcome(connection))
    const { ask } = startSender(t)
    for (const key of ['a', 'b', 'a', 'b']) t.assert.equal(outcome(await ask(origin, '/', { key })), 200)
    t.assert.deepEqual(connections.map(({ requests }) => requests), [[1, 3], [1, 3]])
  })

  test('an origin of the operator takes the place of the vendor\'s, and the path stays', async (t) => {
    const asked: IncomingHttpHeaders[] = []
    const { origin } = await nodeHttp2(t, (stream, headers) => {
      asked.push(headers)
      stream.respond({ ':status': 200 }, { endStream: true })
    })
    const { ask } = startSender(t)
    await ask('https://vendor.invalid', '/v1/send?x=1', { replaced: origin })
    t.assert.deepEqual([asked[0]![':path'], asked[0]![':authority']], ['/v1/send?x=1', new URL(origin).host])
  })

  test('a retired connection takes nothing new, ends what it has, and then closes', async (t) => {
    const { origin, connections } = await rawHttp2(t, (connection) => connection.settings(100))
    const { ask, sender } = startSender(t)
    const old = ask(origin, '/')
    await until(() => connections[0]?.requests.length === 1)
    const waiting = ask(origin, '/')
    sender.retire('lane')
    sender.retire('another lane')
    await until(() => connections[1]?.requests.length === 1)
    connections[1]!.reply(1)
    t.assert.equal(outcome(await waiting), 200)
    connections[0]!.reply(1)
    t.assert.equal(outcome(await old), 200)
    await until(() => connections[0]!.socket.destroyed)
    t.assert.deepEqual(connections[0]!.requests, [1])
    t.assert.equal(connections[1]!.socket.destroyed, false)
  })

  test('only the connection that a reply came over is retired when it is named', async (t) => {
    const { origin, connections } = await rawHttp2(t, (connection) => welcome(connection))
    const { ask, sender } = startSender(t)
    const overs: number[] = []
    const note = async (): Promise<void> => {
      const exchanged = await ask(origin, '/')
      if (exchanged.kind === 'reply') overs.push(exchanged.over)
    }
    await note()
    sender.retire('lane', overs[0])
    await note()
    // A late reply over the first one says the same again.
    sender.retire('lane', overs[0])
    await note()
    t.assert.equal(overs[1], overs[2])
    t.assert.notEqual(overs[0], overs[1])
    t.assert.equal(connections.length, 2)
  })

  test('new credentials do not wait for the pause that the old ones earned', async (t) => {
    const { origin } = await rawHttp2(t, (connection, count) => {
      if (count === 1) connection.socket.destroy()
      else welcome(connection)
    })
    const { ask, sender } = startSender(t)
    t.assert.equal((await ask(origin, '/')).kind, 'unsent')
    t.assert.match(whyOf(await ask(origin, '/')), /the next try/)
    sender.retire('lane')
    t.assert.equal(outcome(await ask(origin, '/')), 200)
  })
})

suite('closing', TIMEOUT, () => {
  test('what is under way ends, what waits was not sent, and nothing more is taken', async (t) => {
    const { origin, connections } = await rawHttp2(t, (connection) => connection.settings(1))
    const { ask, sender } = startSender(t)
    const answers = [ask(origin, '/')]
    await until(() => connections[0]?.requests.length === 1)
    answers.push(...many(3, () => ask(origin, '/')))
    const closed = sender.close()
    connections[0]!.reply(1)
    await closed
    t.assert.deepEqual((await Promise.all(answers)).map(outcome), [200, 'unsent', 'unsent', 'unsent'])
    t.assert.equal((await ask(origin, '/')).kind, 'unsent')
    await until(() => (connections as [RawConnection])[0].socket.destroyed)
  })
})

suite('TLS', TIMEOUT, () => {
  const [trusted, stranger] = [makePair(), makePair()]
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, trusted.cert])
  after(() => setDefaultCACertificates(before))

  interface Seen {
    servername: string | false | null
    protocol: string | false | null
    client: string | undefined
  }

  /** Both protocols on one port; says of each request what its connection looked like. */
  const startTls = async (t: TestContext, pair: { cert: string; key: string }, protocol: 'h1' | 'h2') => {
    const seen: Seen[] = []
    const look = (socket: TLSSocket): void => {
      const client = socket.getPeerCertificate().subject?.CN as string | undefined
      seen.push({ servername: socket.servername ?? null, protocol: socket.alpnProtocol, client })
    }
    const options = { ...pair, requestCert: true, rejectUnauthorized: false }
    const server =
      protocol === 'h2'
        ? createSecureServer(options, ({ stream }, answer) => (look(stream.session!.socket as TLSSocket), answer.end()))
        : createHttps(options, ({ socket }, answer) => (look(socket as TLSSocket), answer.end()))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => server.close())
    return { port: (server.address() as AddressInfo).port, seen }
  }

  for (const protocol of ['h1', 'h2'] as const) {
    const alpn = protocol === 'h2' && 'h2'

    test(`over ${protocol} the server is told its name, and shown our certificate where there is one`, async (t) => {
      const { port, seen } = await startTls(t, trusted, protocol)
      const { ask } = startSender(t)
      const identity = makePair('app.example')
      t.assert.equal(outcome(await ask(`https://localhost:${port}`, '/', { protocol, key: 'a' })), 200)
      t.assert.equal(outcome(await ask(`https://localhost:${port}`, '/', { protocol, key: 'b', identity })), 200)
      t.assert.deepEqual(seen, [
        { servername: 'localhost', protocol: alpn, client: undefined },
        { servername: 'localhost', protocol: alpn, client: 'app.example' },
      ])
    })

    test(`over ${protocol} a certificate that nobody vouches for, or for another name, is refused`, async (t) => {
      const { ask } = startSender(t)
      const strange = await startTls(t, stranger, protocol)
      const exchanged = await ask(`https://localhost:${strange.port}`, '/', { protocol })
      t.assert.equal(exchanged.kind, 'unsent')
      t.assert.match(whyOf(exchanged), /self.signed certificate/)
      const named = await startTls(t, trusted, protocol)
      const other = await ask(`https://127.0.0.1:${named.port}`, '/', { protocol })
      t.assert.equal(other.kind, 'unsent')
      t.assert.match(whyOf(other), /127\.0\.0\.1 is not in the cert's list/)
      t.assert.deepEqual([...strange.seen, ...named.seen], [])
    })

    test(`over ${protocol} no environment switches the check off`, async (t) => {
      const { port, seen } = await startTls(t, stranger, protocol)
      process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
      t.after(() => delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'])
      t.assert.equal((await startSender(t).ask(`https://localhost:${port}`, '/', { protocol })).kind, 'unsent')
      t.assert.deepEqual(seen, [])
    })

    test(`over ${protocol} a key that cannot be read was not used, in words`, async (t) => {
      const { port } = await startTls(t, trusted, protocol)
      const identity = { pfx: Buffer.from('not a pfx'), passphrase: 'x' }
      const exchanged = await startSender(t).ask(`https://localhost:${port}`, '/', { protocol, identity })
      t.assert.equal(exchanged.kind, 'unsent')
      t.assert.notEqual(whyOf(exchanged), '')
    })
  }
})
