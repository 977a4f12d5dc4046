import type { TObject } from 'typebox'
import type { VendorName } from '@carillon/protocol/names.ts'
import type { Message, Setting } from '@carillon/protocol/notify.ts'
import type { AnswerReason } from '@carillon/protocol/sentences/reasons.ts'
import type { Warning } from '@carillon/protocol/sentences/warnings.ts'

export const fieldNames = ['app_id', 'app_key', 'app_secret', 'certificate', 'name'] as const
export type FieldName = (typeof fieldNames)[number]

/** The five fields of a certificate, '' where blank, and its options without the blank ones. */
export interface Fields extends Record<FieldName, string> {
  options: Record<string, unknown>
}

/** 0 = development, 1 = production. Only Apple runs two services; elsewhere it just keeps two records apart. */
export type Environment = 0 | 1

/** An app's account with a vendor: its certificate, opened. */
export interface Account extends Fields {
  environment: Environment
}

/** Reads as one sentence: the field, then what would be right. Never holds a secret. */
export interface Problem {
  field: string
  expected: string
}

export interface Checked {
  /** What can never work. */
  problems: Problem[]
  /** What is unusual and may still work. */
  warnings: Warning[]
  /** Unix milliseconds; null where the credential has no date. */
  expiresAt: number | null
}

/** One push as a vendor's file sees it: the same for every address of a request. */
export interface VendorPush {
  taskId: number
  message: Message
  setting: Setting
  /** For vendors that insist on a title. */
  appName: string
  /** Unix milliseconds, as `expiresAt`; it is never built for a time after that. */
  now: number
  expiresAt: number
  /** Where this vendor may report deliveries; undefined while the public address is not known. */
  receiptUrl: string | undefined
}

/** One device as its vendor knows it. */
export interface Address {
  token: string
  deviceId: number
  /** The number to show; null leaves the badge alone. */
  badge: number | null
}

/** One HTTP request. The origin is the vendor's own; a replacement set by the operator takes its place later. */
export interface VendorRequest {
  origin: string
  method: 'GET' | 'POST'
  /** With its query. */
  path: string
  headers: Record<string, string>
  body: string
}

/** What a request comes to at its other end: what a phone shows of it, and the room it takes. */
export interface Sight {
  title?: string | undefined
  body?: string | undefined
  /** Unfolds under the body. */
  bigText?: string | undefined
  /** What the vendor counts where it cuts that; characters if it does not say. */
  bigTextIn?: 'bytes'
  image?: string | undefined
  /** All but the data for the app, the addresses and the credentials: what makes no difference here is not seen. */
  shown: unknown
  /** As the vendor counts it, and the most it takes. */
  size: number
  most: number
}

/** What came back, whole. Header names are in lower case; the body is capped at 64 KiB. */
export interface Reply {
  status: number
  headers: Readonly<Record<string, string>>
  body: string
}

/**
 * What an answer says of one address.
 * sent       taken
 * dead       this token is gone for good; `since`: the vendor knows it from that moment (Unix milliseconds)
 * refused    this push will never be taken; the token is kept
 * denied     our credentials, or a setting in the vendor's console: the operator's matter, not the push's
 * renew      the access token ran out: it is made anew once and the request repeated; twice in a row counts as denied
 * limited    too fast: waits. `alone`: only this device; otherwise the whole lane. `waitMs` where the answer says it
 * exhausted  today's allowance is used up: waits for the vendor's next day. `alone` as above
 * down       the vendor has trouble: waits, ever longer
 * adapt      not in this form: built once more as `variant` for the same addresses; asked for twice it counts as refused.
 *            `batch`: for so many of them at a time. Said of a stored body, it holds for all lists until the vendor's next day
 * unknown    a code that is in no table: repeated three times, then refused, and shown to the operator
 * `why` says in English what it means. `said`: the vendor's own code, and its words where it gave some, as they came:
 * that is what readers of other languages see beside the kind. `reason`: where the kind does not say it.
 * `reconnect` on any of them: the connection it came over must not be used for new requests. `retryAfterMs`: what its answer
 * asked to wait, where that was not the answer to the push itself.
 */
export type Verdict = (
  | { kind: 'sent' }
  | { kind: 'dead'; why: string; since?: number }
  | { kind: 'refused' | 'denied' | 'renew' | 'down' | 'unknown'; why: string }
  | { kind: 'limited'; why: string; alone?: boolean; waitMs?: number }
  | { kind: 'exhausted'; why: string; alone?: boolean }
  | { kind: 'adapt'; why: string; variant: string; batch?: number }
) & { reconnect?: boolean; said?: string; reason?: AnswerReason; retryAfterMs?: number }

export interface AccessToken {
  value: string
  /** From then on a new one is fetched beside the work; after `endsAt` work waits for it. Unix milliseconds. */
  renewAt: number
  endsAt: number
}

/** How requests show who sends them, where that runs out: made here, or asked from the vendor. */
export type Access =
  | { make(account: Account, now: number): AccessToken }
  | {
      request(account: Account, region: string, now: number): VendorRequest
      /** The token, or what stands in the way. */
      read(reply: Reply, now: number): AccessToken | Verdict
    }

/** What one request is built from. */
export interface Addressed {
  push: VendorPush
  account: Account
  /** 1 … batch of them, all of one region. */
  addresses: readonly Address[]
  /** As `regionOf` said; '' where the vendor has none. */
  region: string
  /** The access token; '' where the vendor has none. */
  access: string
  /** '' at first; what a verdict of kind `adapt` asked for after that. */
  variant: string
  /** What `prepare` answered; '' where it was not asked. */
  prepared: string
}

/** A body is stored at the vendor once, and lists of addresses then refer to it. */
export interface Preparation {
  /** Whether this request refers to a stored body. */
  isFor(to: Omit<Addressed, 'prepared' | 'access'>): boolean
  request(to: Omit<Addressed, 'prepared'>): VendorRequest
  /** What to refer to it by; it is used again for later lists of the same task. Or what stands in the way. */
  read(reply: Reply): { prepared: string } | Verdict
}

export interface TlsIdentity {
  pfx?: Buffer
  passphrase?: string
  cert?: string
  key?: string
}

export interface Limits {
  /** The most addresses one request takes. */
  batch: number
  /** Requests under way at once in one lane. */
  concurrency: number
  /** What the vendor allows by default, a second, and whether it counts requests or devices. */
  perSecond: number
  counts: 'requests' | 'devices'
  /** How long an answer may take. */
  timeoutMs: number
}

/** One report of a vendor about one device. */
export interface VendorReceipt {
  taskId: number
  token: string
  /**
   * received, shown, clicked  as it says
   * dead    the token is gone for good
   * failed  not delivered, for another reason
   */
  event: 'received' | 'shown' | 'clicked' | 'dead' | 'failed'
  /** In words where it failed, with the vendor's code. */
  why?: string
  /** The device has this token from now on. */
  replacedBy?: string
}

export interface Receipts {
  /**
   * Reads a call of the vendor. `forged`: it does not prove what it should; `malformed`: not what this vendor sends.
   * `accounts`: the app's certificates of this vendor.
   */
  read(call: { headers: Readonly<Record<string, string>>; body: string }, accounts: readonly Account[]): VendorReceipt[] | 'forged' | 'malformed'
  /** What the vendor expects as an answer. */
  answer: string
}

/** Everything Carillon knows of one vendor. All of it is pure: the sender does the talking. */
export interface Vendor {
  name: VendorName
  /** What people call the service. */
  title: string
  /** The fields this vendor uses. A field that is not in here is not needed, and warns when given. */
  credentials: TObject
  /** What this vendor takes beside the five fields. */
  options: TObject
  /** What the schema of one field cannot say. A field the schemas already found wrong is not reported again. */
  check?(fields: Fields, environment: Environment, now: number): Partial<Checked>

  /** HTTP/2 with many requests on a few connections, or HTTP/1.1 with kept connections. */
  protocol: 'h2' | 'h1'
  limits: Limits
  /** Whether it has a way to carry this message with this account. */
  carries(message: Message, account: Account): boolean
  /** Whether the vendor itself keeps a push until show_begin_time; otherwise it is handed over at that time. */
  presents?(push: VendorPush, account: Account): boolean
  /** Where a device is registered: requests, hosts and access tokens are kept apart by it. */
  regionOf?(token: string, account: Account): string
  /** Shown in the TLS handshake. */
  identity?(account: Account): TlsIdentity | undefined
  access?: Access
  prepare?: Preparation
  request(to: Addressed): VendorRequest
  /** Reads one of its own requests to a single address, for people who want to know before it is sent. */
  sight(request: VendorRequest): Sight
  /** One verdict for each address of the request, in their order. */
  read(reply: Reply, to: Addressed): Verdict[]
  /**
   * A made-up token, and the variant to send to it with, by which credentials are tried: an answer that finds fault
   * with the token alone shows that they are good. Left out where the access token alone shows it.
   */
  probe?: { token: string; variant: string }
  receipts?: Receipts
}

export const defineVendor = (vendor: Vendor): Vendor => vendor
