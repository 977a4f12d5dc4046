import { type ClientHttp2Session, connect, constants } from 'node:http2'
import type { Socket } from 'node:net'
import { openHttp2Socket, wordsOf } from './connect.ts'
import type { Errand } from './errand.ts'
import { CONNECT_MS, type Ground, seconds } from './exchange.ts'
import { codeName, readGoaway } from './goaway.ts'
import { type Carried, openStream, type StreamKeeper, type Target } from './http2-stream.ts'
import { readReply } from './reply.ts'
import type { TlsIdentity } from './vendor.ts'

const { NGHTTP2_REFUSED_STREAM } = constants
// More on one connection brings nothing; nobody was seen to allow more than 1,500.
const MOST_STREAMS = 1_000
const PING_MS = 5_000
// After so long a connection may have been dropped on the way without a word: it is asked first.
const STALE_MS = 60_000
const IDLE_MS = 10 * 60_000
// Google ends connections after an hour, in the middle of things; Apple wants them long-lived.
const OLD_MS = 55 * 60_000
const ENDING_MS = 5_000

const LATE = `no connection within ${seconds(CONNECT_MS)}`
const SILENT = `no answer to a PING within ${seconds(PING_MS)}`
const CUT = 'the connection ended before the whole reply'

/** Who keeps connections and hands them errands. */
export interface ConnectionKeeper {
  /** It brought the first reply. */
  worked(): void
  /** It may take more than before, or will take no more. */
  changed(): void
  /** Certainly not processed: another stream may carry it. */
  unprocessed(errand: Errand, why: string): void
  gone(connection: Http2Connection): void
}

/**
 * opening  until the server's first SETTINGS
 * open     takes errands: one alone until a reply shows that we are welcome, then as many as the server allows
 * leaving  takes none; ends when the last stream does
 * gone     has no socket
 */
type Stage = 'opening' | 'open' | 'leaving' | 'gone'

export class Http2Connection implements StreamKeeper {
  readonly number: number
  /** Why it ended, in words. */
  why = ''
  /** It ended by itself without having brought a single reply. */
  hasFailed = false
  readonly #ground: Ground
  readonly #keeper: ConnectionKeeper
  readonly #origin: string
  readonly #target: Target
  readonly #socket: Socket
  readonly #session: ClientHttp2Session
  /** Streams that node has not closed, and how many of them nothing is known of yet. */
  readonly #carried = new Set<Carried>()
  #under = 0
  readonly #startedAt: number
  #stage: Stage = 'opening'
  #hasReplied = false
  #isRetired = false
  #isWelcome = false
  /** What the server allows, and what we dare: less than that after streams were refused. */
  #limit = 0
  #allowed = 0
  #ping: { at: number; isSuspect: boolean } | undefined
  #idleSince: number
  #endingAt = 0
  #goawayCode = 0
  #lastStreamId = Infinity

  constructor(ground: Ground, keeper: ConnectionKeeper, origin: string, identity: TlsIdentity | undefined) {
    this.#ground = ground
    this.#keeper = keeper
    this.#origin = origin
    const url = new URL(origin)
    this.#target = { authority: url.host, scheme: url.protocol.slice(0, -1) }
    this.number = ground.number()
    this.#startedAt = this.#idleSince = ground.clock.now()
    // The socket is ours: ending a session waits for the peer, and some peers are no longer there.
    this.#socket = openHttp2Socket(url, identity)
    // Bodies that wait for the socket count as the session's memory: its 10 MB would fit too few streams.
    const options = { settings: { enablePush: false }, peerMaxConcurrentStreams: 1, maxSessionMemory: 64 }
    this.#session = connect(origin, { ...options, createConnection: () => this.#socket })
    this.#session.on('remoteSettings', ({ maxConcurrentStreams }) => this.#allow(maxConcurrentStreams ?? MOST_STREAMS))
    this.#session.on('goaway', (code, lastStreamId, data) => this.#sentAway(code, lastStreamId, data))
    this.#session.on('error', (error) => (this.why ||= wordsOf(error)))
    this.#session.on('close', () => this.#ended())
  }

  /**
   * room     takes an errand
   * soon     worth waiting for
   * full     has as many as it may, or does not answer
   * leaving  will not take one any more
   * One that was idle for long is asked for a sign of life first.
   */
  standing(): 'room' | 'soon' | 'full' | 'leaving' {
    // Of one that died before it brought anything, it will soon be known whether another is worth a try.
    if (this.#stage === 'opening' || (this.#socket.destroyed && !this.#hasReplied)) return 'soon'
    if (this.#stage !== 'open' || this.#isDone) return 'leaving'
    if (this.#ping !== undefined) return this.#ping.isSuspect ? 'full' : 'soon'
    if (!this.#isWelcome && this.#under > 0) return 'soon'
    if (this.#under >= this.#allowed) return 'full'
    if (this.#under > 0 || this.#ground.clock.now() - this.#idleSince < STALE_MS) return 'room'
    this.#check(false)
    return 'soon'
  }

  send(errand: Errand): void {
    errand.sentAt = this.#ground.clock.now()
    try {
      this.#carried.add(openStream(this.#session, this.#target, errand, this))
      this.#under += 1
    } catch (error) {
      const why = wordsOf(error)
      // Older nodes refuse on the spot what a session that is going can no longer take.
      if (!this.#isDone) return errand.finish({ kind: 'unsent', why })
      this.#leave(why)
      this.#keeper.unprocessed(errand, why)
    }
  }

  answered(carried: Carried): void {
    const { errand, status } = carried
    if (!this.#isFirstWord(carried)) return
    if (status === 421 && !errand.misdirected) {
      errand.misdirected = true
      this.#leave('misdirected (status 421)')
      this.#keeper.unprocessed(errand, this.why)
      return this.#keeper.changed()
    }
    if (!this.#hasReplied) this.#keeper.worked()
    this.#hasReplied = true
    // APNs allows a single stream until it has accepted a token.
    if (!this.#isWelcome) this.#isWelcome = status !== 401 && status !== 403
    if (this.#allowed < this.#limit) this.#allowed += 1
    errand.finish(readReply(status, carried.headers!, carried.chunks, this.number))
    if (status === 200) return this.#keeper.changed()
    // Whoever asked reads it first: it may say that those who wait for a stream should not have it.
    queueMicrotask(() => this.#keeper.changed())
  }

  closed(carried: Carried): void {
    if (!this.#carried.delete(carried)) return
    const isNews = this.#isFirstWord(carried)
    if (isNews) this.#decide(carried)
    if (this.#stage === 'leaving' && this.#carried.size === 0) this.#end()
    if (isNews) this.#keeper.changed()
  }

  /** No new streams; those under way end in peace. */
  retire(why: string): void {
    this.#isRetired = true
    this.#leave(why)
  }

  /** Ends it now, with all that is under way. */
  destroy(why: string): void {
    this.why ||= why
    if (this.#stage !== 'gone') this.#stage = 'leaving'
    this.#socket.destroy()
  }

  look(now: number): void {
    const isOver = (since: number, ms: number): boolean => now - since >= ms
    if (this.#stage === 'opening' && isOver(this.#startedAt, CONNECT_MS)) return this.destroy(LATE)
    if (this.#ping !== undefined && isOver(this.#ping.at, PING_MS)) return this.destroy(SILENT)
    if (this.#endingAt !== 0 && isOver(this.#endingAt, ENDING_MS)) return this.destroy(CUT)
    for (const carried of this.#carried) {
      if (isOver(carried.errand.sentAt, carried.errand.timeoutMs)) this.#expire(carried)
    }
    // A stream that nobody waits for any more may never close: its reset does not get out.
    if (this.#stage === 'leaving' && this.#under === 0) return this.#end()
    if (this.#stage !== 'open') return
    if (isOver(this.#startedAt, OLD_MS)) this.retire('old')
    else if (this.#under === 0 && isOver(this.#idleSince, IDLE_MS)) this.retire('idle')
  }

  /** Node may know that it is over some time before it says so. */
  get #isDone(): boolean {
    return this.#session.closed || this.#session.destroyed
  }

  #allow(limit: number): void {
    this.#limit = this.#allowed = Math.min(limit, MOST_STREAMS)
    if (this.#stage === 'opening') {
      this.#stage = 'open'
      this.#idleSince = this.#ground.clock.now()
      this.#ground.log.debug({ origin: this.#origin, over: this.number, streams: limit }, 'connected to a vendor')
    }
    this.#keeper.changed()
  }

  #sentAway(code: number, lastStreamId: number, data: Uint8Array | undefined): void {
    const why = readGoaway(code, data)
    this.#goawayCode = code
    this.#lastStreamId = Math.min(this.#lastStreamId, lastStreamId)
    this.#ground.log.info({ origin: this.#origin, over: this.number, lastStreamId, why }, 'a vendor ends a connection')
    this.#leave(why)
  }

  /** What becomes of an errand on this stream is said once; its place is free from then on. */
  #isFirstWord(carried: Carried): boolean {
    if (!carried.isUndecided) return false
    carried.isUndecided = false
    this.#under -= 1
    if (this.#under === 0) this.#idleSince = this.#ground.clock.now()
    return true
  }

  #decide(carried: Carried): void {
    const { errand, stream, fault, error } = carried
    const rst = stream.rstCode
    if (stream.id === undefined || stream.id > this.#lastStreamId) {
      this.#leave('it takes no more requests')
      return this.#keeper.unprocessed(errand, this.why)
    }
    // A GOAWAY's own code is put on every stream it ends, processed or not.
    if (rst === NGHTTP2_REFUSED_STREAM && this.#goawayCode !== NGHTTP2_REFUSED_STREAM) {
      // The server allows less than it said, or has not said it yet: what it still carries is what it can.
      this.#allowed = Math.max(1, Math.min(this.#allowed, this.#under))
      return this.#keeper.unprocessed(errand, 'the server refused the stream')
    }
    const ending = this.#isDone ? CUT : `the stream was reset (${codeName(rst)})`
    const cause = this.why || (this.#isDone && error ? wordsOf(error) : '')
    errand.finish({ kind: 'lost', why: fault || (cause ? `${ending}: ${cause}` : ending) })
  }

  #expire(carried: Carried): void {
    if (this.#isFirstWord(carried)) {
      carried.errand.finish({ kind: 'lost', why: `no answer within ${seconds(carried.errand.timeoutMs)}` })
      this.#check(true)
    }
    carried.cancel()
  }

  /** Asks whether anybody is there. Never while idle: Google calls that too many pings. */
  #check(isSuspect: boolean): void {
    if (this.#ping !== undefined || this.#isDone) return
    this.#ping = { at: this.#ground.clock.now(), isSuspect }
    this.#session.ping((error) => {
      if (error) return // The session is ending, and says so itself.
      this.#ping = undefined
      this.#idleSince = this.#ground.clock.now()
      this.#keeper.changed()
    })
  }

  #leave(why: string): void {
    this.why ||= why
    if (this.#stage === 'opening') return this.destroy(why)
    if (this.#stage !== 'open') return
    this.#stage = 'leaving'
    if (this.#carried.size === 0) this.#end()
  }

  #end(): void {
    if (this.#endingAt === 0) this.#endingAt = this.#ground.clock.now()
    this.#session.destroy()
  }

  #ended(): void {
    this.#stage = 'gone'
    this.why ||= 'the server closed the connection'
    this.hasFailed = !this.#hasReplied && !this.#isRetired
    for (const carried of this.#carried) if (this.#isFirstWord(carried)) this.#decide(carried)
    this.#carried.clear()
    this.#keeper.gone(this)
  }
}
