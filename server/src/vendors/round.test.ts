import test, { type TestContext } from 'node:test'
import { unknownCodes } from '../metrics.ts'
import type { Outcome } from '../push/channel.ts'
import { type ToldSender, NOW, calm, plainAccess, plainPreparation, plainVendor, reply, sentTo, startDesk } from './desk.fixture.ts'
import { nextDay } from './next-day.ts'
import type { Vendor, Verdict } from './vendor.ts'

const timeout = 10_000
const MINUTE = 60_000

/** Every request for a push is answered with these, one after the other, and the last one for ever. */
const answerWith = (sender: ToldSender, ...verdicts: (Verdict | { verdict: Verdict; retryAfterMs: number })[]): void => {
  let next = 0
  sender.answer = (errand) => {
    const one = verdicts[Math.min(next, verdicts.length - 1)]!
    next += 1
    const { verdict, retryAfterMs } = 'verdict' in one ? one : { verdict: one, retryAfterMs: undefined }
    return reply(sentTo(errand).to.map(() => verdict), retryAfterMs === undefined ? {} : { retryAfterMs })
  }
}

interface Row {
  says: string
  verdicts: (Verdict | { verdict: Verdict; retryAfterMs: number })[]
  outcome: Outcome
  /** Until when the lane takes nothing. */
  pausedUntil?: number
  told?: number
  requests?: number
}

const why = 'because'
const rows: Row[] = [
  { says: 'sent', verdicts: [{ kind: 'sent' }], outcome: { kind: 'sent' } },
  { says: 'dead', verdicts: [{ kind: 'dead', why }], outcome: { kind: 'dead', why, reason: 'gone' } },
  { says: 'refused', verdicts: [{ kind: 'refused', why }], outcome: { kind: 'refused', why, reason: 'refused' } },
  { says: 'denied', verdicts: [{ kind: 'denied', why }], outcome: { kind: 'denied', why, reason: 'denied', at: NOW + MINUTE }, pausedUntil: NOW + MINUTE, told: 1 },
  {
    says: 'denied, with a long Retry-After', verdicts: [{ verdict: { kind: 'denied', why }, retryAfterMs: 2 * MINUTE }],
    outcome: { kind: 'denied', why, reason: 'denied', at: NOW + 2 * MINUTE }, pausedUntil: NOW + 2 * MINUTE, told: 1,
  },
  { says: 'renew, then sent', verdicts: [{ kind: 'renew', why }, { kind: 'sent' }], outcome: { kind: 'sent' }, requests: 2 },
  { says: 'renew twice', verdicts: [{ kind: 'renew', why }], outcome: { kind: 'denied', why, reason: 'denied', at: NOW + MINUTE }, pausedUntil: NOW + MINUTE, told: 1, requests: 2 },
  { says: 'limited', verdicts: [{ kind: 'limited', why }], outcome: { kind: 'later', why, reason: 'limited', at: NOW + 1_000 }, pausedUntil: NOW + 1_000 },
  { says: 'limited for a time', verdicts: [{ kind: 'limited', why, waitMs: 5_000 }], outcome: { kind: 'later', why, reason: 'limited', at: NOW + 5_000 }, pausedUntil: NOW + 5_000 },
  {
    says: 'limited, and Retry-After knows better', verdicts: [{ verdict: { kind: 'limited', why, waitMs: 5_000 }, retryAfterMs: 90_000 }],
    outcome: { kind: 'later', why, reason: 'limited', at: NOW + 90_000 }, pausedUntil: NOW + 90_000,
  },
  {
    says: 'limited, with a Retry-After of nothing', verdicts: [{ verdict: { kind: 'limited', why }, retryAfterMs: 0 }],
    outcome: { kind: 'later', why, reason: 'limited', at: NOW + 1_000 }, pausedUntil: NOW + 1_000,
  },
  { says: 'limited, alone', verdicts: [{ kind: 'limited', why, alone: true, waitMs: 5_000 }], outcome: { kind: 'later', why, reason: 'limited', at: NOW + 5_000 } },
  { says: 'exhausted', verdicts: [{ kind: 'exhausted', why }], outcome: { kind: 'later', why, reason: 'exhausted', at: nextDay(NOW) }, pausedUntil: nextDay(NOW), told: 1 },
  { says: 'exhausted, alone', verdicts: [{ kind: 'exhausted', why, alone: true }], outcome: { kind: 'later', why, reason: 'exhausted', at: nextDay(NOW) } },
  { says: 'down', verdicts: [{ kind: 'down', why }], outcome: { kind: 'later', why, reason: 'down', at: NOW + 500 } },
  {
    says: 'down, with Retry-After', verdicts: [{ verdict: { kind: 'down', why }, retryAfterMs: 30_000 }],
    outcome: { kind: 'later', why, reason: 'down', at: NOW + 30_000 }, pausedUntil: NOW + 30_000,
  },
  {
    says: 'what nobody knows, with a long Retry-After', verdicts: [{ verdict: { kind: 'unknown', why }, retryAfterMs: 60 * MINUTE }],
    outcome: { kind: 'later', why: 'the vendor asked to leave this device alone for a while', reason: 'resting', at: NOW + 60 * MINUTE },
  },
  { says: 'adapt, then sent', verdicts: [{ kind: 'adapt', why, variant: 'short' }, { kind: 'sent' }], outcome: { kind: 'sent' }, requests: 2 },
  { says: 'adapt twice', verdicts: [{ kind: 'adapt', why, variant: 'short' }], outcome: { kind: 'refused', why, reason: 'refused' }, requests: 2 },
]

for (const { says, verdicts, outcome, pausedUntil, told = 0, requests = 1 } of rows) {
  test(`an answer that says ${says} becomes ${outcome.kind}${pausedUntil === undefined ? ' and pauses nobody' : ' and pauses the lane'}`, { timeout }, async (t: TestContext) => {
    const { sender, store, send, lane, sent } = startDesk(t, plainVendor())
    answerWith(sender, ...verdicts)
    t.assert.deepEqual(await send(['a']), [outcome])
    t.assert.equal(sender.asked.length, requests)
    t.assert.deepEqual(sent, outcome.kind === 'sent' ? [0] : [])
    t.assert.equal(lane().resumesAt, pausedUntil ?? lane().resumesAt)
    t.assert.equal(lane().state, pausedUntil === undefined ? 'open' : 'paused')
    t.assert.equal(store.named('tellLanePaused').length, told)
    t.assert.equal(store.named('quarantineTokens').length, outcome.kind === 'dead' ? 1 : 0)
    t.assert.equal(lane().underWay, 0)
  })
}

test('a code nobody knows is asked three times more, with growing pauses; then the push is refused, counted and logged', { timeout }, async (t: TestContext) => {
  const { sender, send, clock, logged, lane } = startDesk(t, plainVendor())
  answerWith(sender, { kind: 'unknown', why: 'code 4711' })
  const before = unknownCodes.of('xiaomi').value
  const sending = send(['a'])
  await calm()
  for (const [pauseMs, requests] of [[500, 1], [1_000, 2], [2_000, 3]] as const) {
    await clock.pass(pauseMs - 1)
    t.assert.equal(sender.asked.length, requests)
    t.assert.equal(lane().underWay, 0, 'nobody is kept waiting meanwhile')
    await clock.pass(1)
  }
  t.assert.deepEqual(await sending, [{ kind: 'refused', why: 'code 4711', reason: 'unknown' }])
  t.assert.equal(sender.asked.length, 4)
  t.assert.equal(unknownCodes.of('xiaomi').value, before + 1)
  t.assert.equal(logged.filter(({ msg }) => msg.includes('nobody knows')).length, 1)
})

test('an address the answer leaves out counts as unknown, and is asked for alone', { timeout }, async (t: TestContext) => {
  const { sender, send, clock } = startDesk(t, plainVendor({ limits: { ...plainVendor().limits, batch: 10 } }))
  sender.answer = (errand) => reply(sentTo(errand).to.length === 3 ? [{ kind: 'sent' }, { kind: 'sent' }] : [{ kind: 'sent' }])
  const sending = send(['a', 'b', 'c'])
  await calm()
  await clock.pass(500)
  t.assert.deepEqual((await sending).map(({ kind }) => kind), ['sent', 'sent', 'sent'])
  t.assert.deepEqual(sender.asked.map((errand) => sentTo(errand).to), [['a', 'b', 'c'], ['c']])
})

test('each address of a list has its own outcome, and those to be asked again are asked together', { timeout }, async (t: TestContext) => {
  const { sender, send } = startDesk(t, plainVendor({ limits: { ...plainVendor().limits, batch: 10 } }))
  const first: Verdict[] = [{ kind: 'sent' }, { kind: 'adapt', why, variant: 'short' }, { kind: 'dead', why }, { kind: 'adapt', why, variant: 'short' }, { kind: 'refused', why }]
  sender.answer = (errand) => reply(sentTo(errand).variant === '' ? first : sentTo(errand).to.map(() => ({ kind: 'sent' })))
  t.assert.deepEqual((await send(['a', 'b', 'c', 'd', 'e'])).map(({ kind }) => kind), ['sent', 'sent', 'dead', 'sent', 'refused'])
  t.assert.deepEqual(sender.asked.map((errand) => sentTo(errand)), [
    { to: ['a', 'b', 'c', 'd', 'e'], access: '', variant: '', prepared: '' }, { to: ['b', 'd'], access: '', variant: 'short', prepared: '' },
  ])
})

test('where one answer holds several troubles of the lane, the longest pause counts and the operator is told', { timeout }, async (t: TestContext) => {
  const { sender, send, store, lane } = startDesk(t, plainVendor({ limits: { ...plainVendor().limits, batch: 10 } }))
  sender.answer = () => reply([{ kind: 'denied', why: 'no right to this' }, { kind: 'limited', why, waitMs: 1_000 }])
  await send(['a', 'b'])
  t.assert.deepEqual(lane().trouble, { until: NOW + MINUTE, why: 'no right to this', reason: 'denied' })
  t.assert.equal(store.named('tellLanePaused').length, 1)
})

test('lists are cut to what one request takes, and regions never share one', { timeout }, async (t: TestContext) => {
  const vendor = plainVendor({ limits: { ...plainVendor().limits, batch: 2 }, regionOf: (token) => token[0]! })
  const { sender, send } = startDesk(t, vendor)
  const outcomes = await send(['c1', 'o1', 'c2', 'c3', 'o2'])
  t.assert.deepEqual(outcomes.map(({ kind }) => kind), ['sent', 'sent', 'sent', 'sent', 'sent'])
  t.assert.deepEqual(sender.asked.map((errand) => [errand.key, ...sentTo(errand).to]), [
    ['xiaomi 1 1 c', 'c1', 'c2'], ['xiaomi 1 1 c', 'c3'], ['xiaomi 1 1 o', 'o1', 'o2'],
  ])
})

test('an answer that was lost is written down as lost and sent again later; what was certainly not sent is only late', { timeout }, async (t: TestContext) => {
  const { sender, send, sent } = startDesk(t, plainVendor())
  sender.answer = (errand) => ({ kind: sentTo(errand).to[0] === 'a' ? 'lost' : 'unsent', why: 'the connection ended' })
  t.assert.deepEqual(await send(['a', 'b']), [
    { kind: 'lost', why: 'the connection ended', reason: 'unanswered', at: NOW + 500 },
    { kind: 'later', why: 'the connection ended', reason: 'unreached', at: NOW + 500 },
  ])
  t.assert.deepEqual(sent, [])
})

test('once the lane is paused nothing more is requested: the rest of the batch comes back for the end of the pause', { timeout }, async (t: TestContext) => {
  const { sender, send, lane } = startDesk(t, plainVendor({ limits: { ...plainVendor().limits, concurrency: 2 } }))
  answerWith(sender, { kind: 'denied', why })
  const outcomes = await send(Array.from({ length: 50 }, (_, i) => `token ${i}`))
  t.assert.ok(sender.asked.length <= 2)
  const asked = sender.asked.length
  t.assert.ok(outcomes.every((outcome) => 'at' in outcome && outcome.at === NOW + MINUTE && outcome.why === why))
  await send(['one more'])
  t.assert.equal(sender.asked.length, asked)
  t.assert.equal(lane().underWay, 0)
})

test('a verdict for one device alone leaves the others of the lane at work', { timeout }, async (t: TestContext) => {
  const { sender, send } = startDesk(t, plainVendor())
  sender.answer = (errand) => reply([sentTo(errand).to[0] === 'b' ? { kind: 'limited', why, alone: true } : { kind: 'sent' }])
  t.assert.deepEqual((await send(['a', 'b', 'c'])).map(({ kind }) => kind), ['sent', 'later', 'sent'])
  t.assert.deepEqual((await send(['d'])).map(({ kind }) => kind), ['sent'])
})

test('a device that its vendor asks to leave alone while another push for it waits for its turn is not asked for', { timeout }, async (t: TestContext) => {
  const { sender, send, lane } = startDesk(t, plainVendor({ limits: { ...plainVendor().limits, concurrency: 1 } }))
  answerWith(sender, { verdict: { kind: 'limited', why, alone: true }, retryAfterMs: 30_000 }, { kind: 'sent' })
  const [first, second] = await Promise.all([send(['a']), send(['a', 'b'])])
  t.assert.deepEqual(first, [{ kind: 'later', why, reason: 'limited', at: NOW + 30_000 }])
  t.assert.deepEqual(second.map((outcome) => 'reason' in outcome ? outcome.reason : outcome.kind), ['resting', 'sent'])
  t.assert.deepEqual(sender.asked.map((errand) => sentTo(errand).to), [['a'], ['b']])
  t.assert.equal(lane().underWay, 0)
})

for (const verdict of [{ kind: 'unknown', why }, { kind: 'renew', why }, { kind: 'adapt', why, variant: 'short' }] satisfies Verdict[]) {
  test(`what is to be asked once more because of ${verdict.kind} is not before its Retry-After, nor is the next push`, { timeout }, async (t: TestContext) => {
    const { sender, send, clock } = startDesk(t, plainVendor())
    answerWith(sender, { verdict, retryAfterMs: 5_000 }, { kind: 'sent' })
    const sending = send(['a'])
    await calm()
    await clock.pass(4_999)
    t.assert.deepEqual((await send(['a'])).map((outcome) => 'at' in outcome && outcome.at), [NOW + 5_000])
    t.assert.equal(sender.asked.length, 1)
    await clock.pass(1)
    t.assert.deepEqual(await sending, [{ kind: 'sent' }])
    t.assert.equal(sender.asked.length, 2)
  })
}

for (const verdict of [{ kind: 'down', why }, { kind: 'limited', why, alone: true }, { kind: 'denied', why }] satisfies Verdict[]) {
  test(`a vendor that answers ${verdict.kind} to the storing of a body is not asked for anything before its Retry-After`, { timeout }, async (t: TestContext) => {
    const { sender, send, clock } = startDesk(t, plainVendor({ prepare: plainPreparation }))
    sender.answer = () => reply(verdict, { retryAfterMs: 2 * MINUTE })
    t.assert.deepEqual((await send(['a'])).map((outcome) => 'at' in outcome && outcome.at), [NOW + 2 * MINUTE])
    await clock.pass(2 * MINUTE - 1)
    await send(['b'], { taskId: 8 })
    t.assert.deepEqual(sender.paths, ['/prepare'])
  })
}

test('a request that waits for a stream while its lane is paused does not leave, and comes back when the pause is over', { timeout }, async (t: TestContext) => {
  const { desk, sender, send, lane, account } = startDesk(t, plainVendor())
  sender.exchange = async (_request, _sending, mayBegin) => {
    await desk.pause(lane(), account, NOW + MINUTE, { why: 'slower, please' }, false)
    return mayBegin!() ? reply([{ kind: 'sent' }]) : { kind: 'unsent', why: 'it was held back' }
  }
  t.assert.deepEqual(await send(['a']), [{ kind: 'later', why: 'slower, please', at: NOW + MINUTE }])
  t.assert.equal(lane().failures, 0)
})

test('an answer that cannot be read and asks to wait is waited for', { timeout }, async (t: TestContext) => {
  const { sender, send, lane } = startDesk(t, plainVendor())
  sender.answer = () => ({ kind: 'lost', why, retryAfterMs: 30_000 })
  t.assert.deepEqual(await send(['a']), [{ kind: 'lost', why, reason: 'unanswered', at: NOW + 30_000 }])
  t.assert.equal(lane().resumesAt, NOW + 30_000)
})

test('a vendor that is down is left alone after five failures, tried with one request, and open again when that one works', { timeout }, async (t: TestContext) => {
  const { sender, send, clock, lane, logged } = startDesk(t, plainVendor({ limits: { ...plainVendor().limits, concurrency: 1 } }))
  answerWith(sender, { kind: 'down', why })
  const tokens = Array.from({ length: 20 }, (_, i) => `token ${i}`)
  await send(tokens)
  t.assert.equal(sender.asked.length, 5)
  t.assert.equal(lane().state, 'paused')
  t.assert.equal(logged.filter(({ msg }) => msg.includes('has a break')).length, 1)
  await clock.pass(500)
  await send(tokens)
  t.assert.equal(sender.asked.length, 6)
  await clock.pass(1_000)
  answerWith(sender, { kind: 'sent' })
  t.assert.deepEqual(new Set((await send(tokens)).map(({ kind }) => kind)), new Set(['sent']))
  t.assert.equal(lane().state, 'open')
})

test('what is denied again after the pause is not told again, until something has worked or the reason is another', { timeout }, async (t: TestContext) => {
  const { sender, send, clock, store } = startDesk(t, plainVendor())
  const told = async (verdict: Verdict): Promise<number> => {
    answerWith(sender, verdict)
    await Promise.all([send(['a', 'b']), send(['c'])])
    await clock.pass(MINUTE)
    return store.named('tellLanePaused').length
  }
  t.assert.equal(await told({ kind: 'denied', why }), 1)
  t.assert.equal(await told({ kind: 'denied', why }), 1)
  t.assert.equal(await told({ kind: 'denied', why: 'the app is disabled' }), 2)
  t.assert.equal(await told({ kind: 'sent' }), 2)
  t.assert.equal(await told({ kind: 'denied', why: 'the app is disabled' }), 3)
})

test('a verdict that asks for another connection retires the one it came over', { timeout }, async (t: TestContext) => {
  const { sender, send } = startDesk(t, plainVendor())
  sender.answer = (errand) => reply([{ kind: 'sent', ...(sentTo(errand).to[0] === 'b' && { reconnect: true }) }], { over: sentTo(errand).to[0] === 'b' ? 42 : 41 })
  await send(['a', 'b'])
  t.assert.deepEqual(sender.retired, ['xiaomi 1 1  over 42'])
})

/** Tokens are numbered; those that were refused stay refused. */
const withAccess = (sender: ToldSender, isGood: (access: string) => boolean): void => {
  let last = 0
  sender.answer = (errand) => {
    if (errand.path === '/token') return reply({ value: `token ${(last += 1)}`, renewMs: 3_600_000, endsMs: 7_200_000 })
    const { to, access } = sentTo(errand)
    return reply(to.map((): Verdict => (isGood(access) ? { kind: 'sent' } : { kind: 'renew', why })))
  }
}

test('an access token that ran out is replaced once for all who find out, and their requests are repeated', { timeout }, async (t: TestContext) => {
  const { sender, send } = startDesk(t, plainVendor({ access: plainAccess }))
  withAccess(sender, (access) => access !== 'token 1')
  const outcomes = await send(['a', 'b', 'c', 'd'])
  t.assert.deepEqual(outcomes.map(({ kind }) => kind), ['sent', 'sent', 'sent', 'sent'])
  t.assert.equal(sender.paths.filter((path) => path === '/token').length, 2)
})

test('while no access token can be had no push is asked for, and none is lost by it', { timeout }, async (t: TestContext) => {
  const bars: [Verdict, Outcome['kind']][] = [
    [{ kind: 'denied', why }, 'denied'], [{ kind: 'limited', why }, 'later'], [{ kind: 'down', why }, 'later'],
    [{ kind: 'unknown', why }, 'later'], [{ kind: 'refused', why }, 'later'], [{ kind: 'sent' }, 'later'],
  ]
  for (const [verdict, kind] of bars) {
    await t.test(`when its own answer is ${verdict.kind}`, { timeout }, async (t: TestContext) => {
      const { sender, send, sent } = startDesk(t, plainVendor({ access: plainAccess }))
      sender.answer = () => reply(verdict)
      const outcomes = await send(['a', 'b'])
      t.assert.deepEqual(outcomes.map((outcome) => outcome.kind), [kind, kind])
      t.assert.deepEqual(sender.paths, ['/token'])
      t.assert.deepEqual(sent, [])
    })
  }
})

const preparing = (more: Partial<Vendor> = {}): Vendor =>
  plainVendor({ prepare: plainPreparation!, limits: { ...plainVendor().limits, batch: 2 }, ...more })

test('a body is stored once for each task and form, however many lists refer to it', { timeout }, async (t: TestContext) => {
  const { sender, send } = startDesk(t, preparing())
  sender.answer = (errand) => {
    if (errand.path === '/prepare') return reply({ prepared: `body ${sentTo(errand).variant}` })
    const { to, variant } = sentTo(errand)
    return reply(to.map((token): Verdict => (token === 'e' && variant === '' ? { kind: 'adapt', why, variant: 'short' } : { kind: 'sent' })))
  }
  const outcomes = await send(['a', 'b', 'c', 'd', 'e', 'f'])
  t.assert.ok(outcomes.every(({ kind }) => kind === 'sent'))
  await send(['g'])
  t.assert.deepEqual(sender.asked.filter(({ path }) => path === '/prepare').map((errand) => sentTo(errand).variant), ['', 'short'])
  t.assert.deepEqual(sender.asked.filter(({ path }) => path === '/send').map((errand) => sentTo(errand).prepared), ['body ', 'body ', 'body ', 'body short', 'body '])
  await send(['a'], { taskId: 8 })
  t.assert.equal(sender.paths.filter((path) => path === '/prepare').length, 3)
})

test('an access token that is refused when a body is stored is made anew, too', { timeout }, async (t: TestContext) => {
  const { sender, send } = startDesk(t, preparing({ access: plainAccess }))
  let last = 0
  sender.answer = (errand) => {
    if (errand.path === '/token') return reply({ value: `token ${(last += 1)}`, renewMs: 3_600_000, endsMs: 7_200_000 })
    const { to, access } = sentTo(errand)
    if (errand.path === '/prepare') return reply(access === 'token 1' ? { kind: 'renew', why } : { prepared: 'body' })
    return reply(to.map(() => ({ kind: 'sent' })))
  }
  t.assert.deepEqual((await send(['a', 'b', 'c', 'd'])).map(({ kind }) => kind), ['sent', 'sent', 'sent', 'sent'])
  t.assert.equal(last, 2)
})

test('a body that could not be stored is stored by the next who needs it, and until then nothing refers to it', { timeout }, async (t: TestContext) => {
  const { sender, send, lane, clock } = startDesk(t, preparing())
  sender.answer = () => reply({ kind: 'limited', why }, { retryAfterMs: 20_000 })
  t.assert.deepEqual(await send(['a']), [{ kind: 'later', why, reason: 'limited', at: NOW + 20_000 }])
  t.assert.equal(lane().resumesAt, NOW + 20_000)
  await clock.pass(20_000)
  sender.answer = () => ({ kind: 'lost', why: 'no answer' })
  t.assert.deepEqual((await send(['a'])).map(({ kind }) => kind), ['later'], 'nobody can have got it')
  sender.answer = (errand) => reply(errand.path === '/prepare' ? { prepared: 'body' } : [{ kind: 'sent' }])
  t.assert.deepEqual((await send(['a'])).map(({ kind }) => kind), ['sent'])
  t.assert.deepEqual(sender.paths, ['/prepare', '/prepare', '/prepare', '/send'])
})

test('after its time nothing new is begun, also when the access token or the stored body took all of it', { timeout }, async (t: TestContext) => {
  for (const slow of ['/token', '/prepare']) {
    await t.test(`the slow one is ${slow}`, { timeout }, async (t: TestContext) => {
      const { sender, send, clock } = startDesk(t, preparing({ access: plainAccess }))
      const gate = Promise.withResolvers<void>()
      sender.answer = async ({ path }) => {
        if (path === slow) await gate.promise
        return reply(path === '/token' ? { value: 'token', renewMs: 3_600_000, endsMs: 7_200_000 } : { prepared: 'body' })
      }
      const sending = send(['a'])
      await calm()
      await clock.pass(15_000)
      gate.resolve()
      t.assert.deepEqual(await sending, [{ kind: 'later', why: 'there was no time for it', reason: 'no_time', at: clock.now() }])
      t.assert.equal(sender.paths.at(-1), slow)
    })
  }
})

test('the pause of another request holds back one that was still waiting for its access token', { timeout }, async (t: TestContext) => {
  const { sender, send, desk, lane, account } = startDesk(t, plainVendor({ access: plainAccess }))
  const gate = Promise.withResolvers<void>()
  sender.answer = async () => {
    await gate.promise
    return reply({ value: 'token', renewMs: 3_600_000, endsMs: 7_200_000 })
  }
  const sending = send(['a'])
  await calm()
  await desk.pause(lane(), account, NOW + MINUTE, { why: 'slower, please' }, false)
  gate.resolve()
  t.assert.deepEqual(await sending, [{ kind: 'later', why: 'slower, please', at: NOW + MINUTE }])
  t.assert.deepEqual(sender.paths, ['/token'])
})

test('a surprise ends neither the other requests of the batch nor what is known of them', { timeout }, async (t: TestContext) => {
  const { sender, send, lane, logged } = startDesk(t, plainVendor())
  sender.answer = (errand) => (sentTo(errand).to[0] === 'b' ? { kind: 'reply', reply: { status: 200, headers: {}, body: 'not JSON' }, over: 1 } : reply([{ kind: 'sent' }]))
  t.assert.deepEqual(await send(['a', 'b', 'c']), [
    { kind: 'sent' }, { kind: 'later', why: 'it failed in a way nobody foresaw', reason: 'unforeseen', at: NOW + MINUTE }, { kind: 'sent' },
  ])
  t.assert.equal(lane().underWay, 0)
  t.assert.equal(logged.filter(({ msg }) => msg.includes('nobody foresaw')).length, 1)
})

test('a thousand dead tokens of a thousand are none, ten of a thousand are exactly those', { timeout }, async (t: TestContext) => {
  const tokens = Array.from({ length: 1_000 }, (_, i) => `token ${i}`)
  await t.test('all of them', { timeout }, async (t: TestContext) => {
    const { sender, send, store, lane } = startDesk(t, plainVendor())
    answerWith(sender, { kind: 'dead', why })
    await send(tokens)
    const last = store.written.findLastIndex(({ name }) => name === 'quarantineTokens')
    t.assert.equal(store.written.slice(last + 1).filter(({ name }) => name === 'releaseTokens').length, 1, 'what was quarantined before is given back')
    t.assert.equal(lane().guard.since, NOW)
  })
  await t.test('ten of them', { timeout }, async (t: TestContext) => {
    const { sender, send, store, lane } = startDesk(t, plainVendor())
    sender.answer = (errand) => reply([sentTo(errand).to[0]!.endsWith('77') ? { kind: 'dead', why, since: NOW - 5_000 } : { kind: 'sent' }])
    await send(tokens)
    const dead = store.named('quarantineTokens').flatMap((args) => (args as { tokens: { token: string; before: number }[] }).tokens)
    t.assert.deepEqual(dead.map(({ token }) => token), tokens.filter((token) => token.endsWith('77')))
    t.assert.deepEqual(new Set(dead.map(({ before }) => before)), new Set([NOW - 5_000]))
    t.assert.equal(store.named('releaseTokens').length, 0)
    t.assert.equal(lane().guard.since, undefined)
  })
})

test('answers that say nothing of a token do not make too many dead ones look few', { timeout }, async (t: TestContext) => {
  const { sender, send, lane } = startDesk(t, plainVendor())
  sender.answer = (errand) => reply([Number(sentTo(errand).to[0]) % 10 === 0 ? { kind: 'dead', why } : { kind: 'limited', why, alone: true }])
  await send(Array.from({ length: 1_000 }, (_, i) => String(i)))
  t.assert.equal(lane().guard.since, NOW)
})
