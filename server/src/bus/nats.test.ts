import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after, suite, type TestContext } from 'node:test'
import { type Logger, pino } from 'pino'
import { startNats } from '../../../scripts/throwaway-nats.ts'
import { nudges } from '../metrics.ts'
import { allArrived, keepsTheContract, listen } from './contract.fixture.ts'
import type { Topic } from './bus.ts'
import { type NatsBus, type NatsOptions, natsBus } from './nats.ts'

const limit = { timeout: 30_000 }
const nats = await startNats()
after(() => nats.stop())

/** The lines of a log, and a promise for when it has said something. */
const listeningLog = () => {
  const said: string[] = []
  const waiting: { words: RegExp; resolve: () => void }[] = []
  const write = (line: string): void => {
    const { level, msg } = JSON.parse(line) as { level: number; msg: string }
    said.push(`${pino.levels.labels[level]}: ${msg}`)
    for (const { words, resolve } of waiting) if (words.test(msg)) resolve()
  }
  const log: Logger = pino({ level: 'info' }, { write })
  const says = (words: RegExp): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    waiting.push({ words, resolve })
    return promise
  }
  return { log, said, says }
}

const quiet = pino({ level: 'silent' })
const joinBus = async (t: TestContext, url: string, options: Partial<NatsOptions> = {}): Promise<NatsBus> => {
  const bus = await natsBus(url, { log: quiet, ...options })
  t.after(() => bus.close())
  return bus
}

/** Buses of one test hear one another and nobody else's. */
let prefixes = 0
const nodesOf = async (t: TestContext, count: number): Promise<NatsBus[]> => {
  prefixes += 1
  const prefix = `test-${prefixes}`
  return Promise.all(Array.from({ length: count }, () => joinBus(t, nats.url, { prefix })))
}

const DEAF = /does not hear/
const HEARS = /hears other nodes again/

suite('as any bus', () => {
  keepsTheContract(async (t) => (await nodesOf(t, 1))[0]!)
})

suite('many nodes', () => {
  test('a nudge is heard once on every node, its own included', limit, async (t: TestContext) => {
    const buses = await nodesOf(t, 3)
    const ears = buses.map((bus) => listen(bus, 'tasks'))
    await Promise.all(buses.map((bus) => bus.flush()))
    const heard = Promise.all(ears.map((ear) => ear.heard()))
    buses[0]!.nudge('tasks')
    await heard
    for (const to of buses) await allArrivedAt(buses[0]!, to)
    t.assert.deepEqual(ears.map(({ count }) => count), [1, 1, 1])
  })

  test('a topic nudged many times in a moment goes out once, and nobody passes it on', limit, async (t: TestContext) => {
    const [a, b] = (await nodesOf(t, 2)) as [NatsBus, NatsBus]
    const [here, there] = [listen(a, 'batches'), listen(b, 'batches')]
    await Promise.all([a.flush(), b.flush()])
    const { sent, received } = { sent: nudges.sent.value, received: nudges.received.value }
    for (let i = 0; i < 1_000; i += 1) a.nudge('batches')
    await there.heard()
    await Promise.all([a.flush(), b.flush()]) // what anybody would have passed on is back by now
    t.assert.deepEqual([here.count, there.count], [1, 1])
    t.assert.deepEqual([nudges.sent.value - sent, nudges.received.value - received], [1, 1])
  })

  test('topics are told apart, whatever they are made of', limit, async (t: TestContext) => {
    const [a, b] = (await nodesOf(t, 2)) as [NatsBus, NatsBus]
    const names = ['own:1', 'own:12', 'own:1.2', 'own', 'own.>', 'own.*', '>', '*', 'a b', 'a\tb', 'a\r\nPUB x 0', 'ä', '=3a', ':', '🔔'] as Topic[]
    const ears = names.map((name) => listen(b, name))
    await b.flush()
    for (const [i, name] of names.entries()) {
      const heard = ears[i]!.heard()
      a.nudge(name)
      await heard
    }
    await allArrivedAt(a, b)
    t.assert.deepEqual(ears.map(({ count }) => count), names.map(() => 1))
  })

  test('a node is told of what it listens to and of nothing else', limit, async (t: TestContext) => {
    const [a, b] = (await nodesOf(t, 2)) as [NatsBus, NatsBus]
    const ear = listen(b, 'own:2')
    const twice = listen(b, 'own:2')
    await b.flush()
    twice.off()
    await Promise.all([ear.heard(), Promise.resolve(a.nudge('own:2'))])
    ear.off()
    await b.flush()
    const received = nudges.received.value
    a.nudge('own:2')
    a.nudge('own:3')
    await allArrivedAt(a, b)
    t.assert.deepEqual([ear.count, twice.count, nudges.received.value - received], [1, 0, 1]) // the one that tells us that all arrived
  })

  test('installations with different prefixes do not hear one another', limit, async (t: TestContext) => {
    const [[a, peer], [stranger]] = (await Promise.all([nodesOf(t, 2), nodesOf(t, 1)])) as [[NatsBus, NatsBus], [NatsBus]]
    const [near, far] = [listen(peer, 'tasks'), listen(stranger, 'tasks')]
    await Promise.all([peer.flush(), stranger.flush()])
    a.nudge('tasks')
    await near.heard()
    await stranger.flush()
    t.assert.equal(far.count, 0)
  })

  test('what was nudged right before a node is closed still reaches the others', limit, async (t: TestContext) => {
    const [a, b] = (await nodesOf(t, 2)) as [NatsBus, NatsBus]
    const ear = listen(b, 'own:2')
    await b.flush()
    const heard = ear.heard()
    a.nudge('own:2')
    await a.close()
    await heard
    t.assert.equal(a.state().connected, false)
  })
})

/** On a topic that no test counts. */
const allArrivedAt = async (from: NatsBus, to: NatsBus): Promise<void> => {
  const ear = listen(to, 'own:999')
  await to.flush()
  const heard = ear.heard()
  from.nudge('own:999')
  await heard
  ear.off()
}

suite('without NATS', () => {
  test('killed and started again: told once each, local nudges go on, and every topic looks once', limit, async (t: TestContext) => {
    const mine = await startNats()
    t.after(() => mine.stop())
    const [{ log, said, says }, other] = [listeningLog(), listeningLog()]
    const [a, b] = [await joinBus(t, mine.url, { log }), await joinBus(t, mine.url, { log: other.log })]
    const [tasks, changes] = [listen(a, 'tasks'), listen(a, 'changes')]
    const deaf = says(DEAF)
    await mine.kill()
    await deaf
    const state = a.state()
    t.assert.equal(state.connected, false)
    t.assert.match((state as { why: string }).why, /^127\.0\.0\.1:\d+: /)

    const lost = nudges.lost.value
    await allArrived(a, a, 'tasks')
    await a.flush()
    t.assert.deepEqual([tasks.count, changes.count, nudges.lost.value - lost], [1, 0, 1])

    const looks = Promise.all([tasks.heard(), changes.heard(), says(HEARS), other.says(HEARS)])
    await mine.restart()
    await looks
    t.assert.deepEqual([tasks.count, changes.count], [2, 1])
    t.assert.equal(a.state().connected, true)
    t.assert.deepEqual(said.map((line) => line.replace(/;.*/, '')), ['warn: the bus does not hear other nodes', 'info: the bus hears other nodes again'])

    const heard = changes.heard()
    b.nudge('changes')
    await heard
    t.assert.deepEqual([tasks.count, changes.count], [2, 2])
  })

  test('not there at the start: it is a bus, and joins the others when NATS comes', limit, async (t: TestContext) => {
    const mine = await startNats()
    t.after(() => mine.stop())
    await mine.kill()
    const { log, said, says } = listeningLog()
    const bus = await joinBus(t, mine.url, { log })
    t.assert.equal(bus.state().connected, false)
    t.assert.equal(said.length, 1)
    const ear = listen(bus, 'tasks')
    await allArrived(bus, bus, 'tasks')
    t.assert.equal(ear.count, 1)
    const again = Promise.all([says(HEARS), ear.heard()])
    await mine.restart()
    await again
    t.assert.deepEqual([ear.count, said.length], [2, 2])
    const peer = await joinBus(t, mine.url)
    await bus.flush()
    const heard = ear.heard()
    peer.nudge('tasks')
    await heard
  })

  test('frozen: noticed within 6 seconds, told once, and over when it thaws', limit, async (t: TestContext) => {
    const mine = await startNats()
    t.after(() => mine.stop())
    const { log, said, says } = listeningLog()
    const bus = await joinBus(t, mine.url, { log })
    const ear = listen(bus, 'tasks')
    await bus.flush()
    const deaf = says(DEAF)
    const frozenAt = performance.now()
    mine.freeze()
    t.after(() => mine.thaw())
    await deaf
    t.assert.equal(performance.now() - frozenAt < 6_000, true)
    t.assert.match((bus.state() as { why: string }).why, /does not answer/)
    await allArrived(bus, bus, 'tasks')
    const again = Promise.all([says(HEARS), ear.heard()])
    mine.thaw()
    await again
    t.assert.deepEqual([ear.count, said.length], [2, 2])
  })

  test('closed while NATS is frozen, it ends at once', limit, async (t: TestContext) => {
    const mine = await startNats()
    t.after(() => mine.stop())
    const bus = await joinBus(t, mine.url)
    await bus.flush()
    mine.freeze()
    bus.nudge('tasks')
    const before = performance.now()
    await bus.close()
    t.assert.equal(performance.now() - before < 2_000, true)
  })

  test('a server that greets nobody is given up, and no socket stays behind', limit, async (t: TestContext) => {
    const { port, sockets } = await pretend(t, () => {})
    const bus = await natsBus(`nats://127.0.0.1:${port}`, { log: quiet })
    t.assert.match((bus.state() as { why: string }).why, /no answer within 2 s/)
    await bus.close()
    for (const socket of sockets) if (!socket.closed) await once(socket, 'close')
    t.assert.equal(sockets.size >= 1, true)
  })

  test('a server that takes nothing is not waited for: what it does not take is lost', limit, async (t: TestContext) => {
    const { port } = await pretend(t, (socket) => {
      socket.write('INFO {}\r\n')
      socket.once('data', () => {
        socket.pause()
        socket.write('PONG\r\n')
      })
    })
    const bus = await joinBus(t, `nats://127.0.0.1:${port}`, { pingMs: 60_000 })
    const lost = nudges.lost.value
    // Each a topic of its own, so that none are gathered into one: 40 MB, of which the system itself takes some.
    for (let i = 0; i < 2_000; i += 1) bus.nudge(`own:${i}${'x'.repeat(20_000)}` as Topic)
    const flushed = bus.flush()
    t.assert.equal(nudges.lost.value - lost > 1_000, true)
    await bus.close()
    await flushed
  })

  test('what is not NATS, or talks nonsense, is told in words and never throws', limit, async (t: TestContext) => {
    const nonsense = [
      ['HTTP/1.1 400 Bad Request\r\n\r\n', /not NATS/],
      ['INFO {\r\n', /JSON/],
      ['INFO {}\r\nMSG test x\r\n', /without a length/],
      ['x'.repeat(70_000), /without an end/],
      ["INFO {}\r\n-ERR 'Authorization Violation'\r\n", /'Authorization Violation'/],
    ] as const
    for (const [text, words] of nonsense) {
      const { port } = await pretend(t, (socket) => void socket.write(text))
      const bus = await joinBus(t, `nats://127.0.0.1:${port}`)
      t.assert.match((bus.state() as { why: string }).why, words)
      await bus.close()
    }
  })

  test('an address that cannot be one is refused at once, without showing it', limit, async (t: TestContext) => {
    for (const url of ['', 'localhost:4222', 'http://user:secret@host', 'nats://', 'nats://a,,nats://b']) {
      await t.assert.rejects(natsBus(url, { log: quiet }), /^Error: must be an address such as nats:\/\/host:4222(?!.*secret)/, url)
    }
  })

  test('of several servers one that lives is found', limit, async (t: TestContext) => {
    const mine = await startNats()
    await mine.kill()
    const { log, says } = listeningLog()
    const hears = says(HEARS)
    const bus = await joinBus(t, `${mine.url},${nats.url}`, { log, chance: () => 0 })
    t.assert.equal(bus.state().connected, false)
    await hears
    t.assert.equal(bus.state().connected, true)
  })
})

suite('who may speak', () => {
  test('a name with a password, or a token, opens the door; without them it stays shut', limit, async (t: TestContext) => {
    const byName = await startNats(['--user', 'us', '--pass', 'p@ss/word'])
    const byToken = await startNats(['--auth', 'let-me-in'])
    for (const server of [byName, byToken]) t.after(() => server.stop())
    const shut = await joinBus(t, byName.url)
    t.assert.match((shut.state() as { why: string }).why, /Authorization/)
    const named = await joinBus(t, byName.url.replace('//', '//us:p%40ss%2Fword@'))
    const token = await joinBus(t, byToken.url.replace('//', '//let-me-in@'))
    t.assert.deepEqual([named.state().connected, token.state().connected], [true, true])
  })

  test('a server that demands TLS gets it, and must be the one it says it is; tls:// goes to no other', limit, async (t: TestContext) => {
    const folder = await mkdtemp(join(tmpdir(), 'carillon-nats-'))
    t.after(() => rm(folder, { recursive: true }))
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
    const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key]
    execFileSync('openssl', ['req', '-x509', ...newKey, '-out', cert, '-days', '2', ...subject], { stdio: 'ignore' })
    const secret = await startNats(['--tls', '--tlscert', cert, '--tlskey', key])
    t.after(() => secret.stop())
    const stranger = await joinBus(t, secret.url)
    t.assert.match((stranger.state() as { why: string }).why, /self-signed/)
    const plain = await joinBus(t, nats.url.replace('nats:', 'tls:'))
    t.assert.match((plain.state() as { why: string }).why, /does not offer TLS/)

    // Extra authorities are read when a process starts.
    const heard = execFileSync(process.execPath, ['--input-type=module', '-e', overTls(secret.url)], {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: cert }, timeout: 20_000, encoding: 'utf8',
    })
    t.assert.equal(heard, 'heard over TLS')
  })
})

const overTls = (url: string): string => `
  import { natsBus } from ${JSON.stringify(new URL('./nats.ts', import.meta.url).href)}
  const log = { info() {}, warn(about) { console.error(about) } }
  const buses = await Promise.all([natsBus('${url}', { log }), natsBus('${url.replace('nats://127.0.0.1', 'tls://localhost')}', { log })])
  const heard = new Promise((resolve) => buses[1].on('own:12', resolve))
  await buses[1].flush()
  buses[0].nudge('own:12')
  await heard
  process.stdout.write('heard over TLS')
  for (const bus of buses) await bus.close()
`

/** Somebody at a port of its own who is not NATS. */
const pretend = async (t: TestContext, greet: (socket: Socket) => void): Promise<{ port: number; sockets: Set<Socket> }> => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).resume()
    greet(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, sockets }
}
