/**
 * The bytes of the ledger. Each (task, channel, device) has exactly one:
 *
 *   bits 0-3  state: what is left to do
 *   bits 4-5  level: 0 nothing, 1 sent, 2 received (received implies sent)
 *   bits 6-7  seen:  0 nothing, 1 shown, 2 dismissed, 3 clicked
 *
 * State and level are apart because they move apart: a push that was sent and not acknowledged moves on to the next
 * channel and still counts as sent on this one; its late acknowledgement still counts as received. Level and seen only
 * rise, so a repeated receipt changes nothing.
 */
export const states = [
  'pending', // to be handed over, or handed over and its acknowledgement awaited
  'waiting', // a place in the inbox
  'done', // handed over for good
  'moved', // went on to another channel, or from held to a channel
  'refused',
  'dead',
  'expired',
  'cancelled',
  'overflow', // the inbox was full of newer ones
  'replaced', // a newer one with the same collapse_id took its place
  'planned', // a dry run: would have been sent
  'untargeted', // no channel: the batch says why
] as const
export type DeliveryState = (typeof states)[number]

export const NOTHING = 0
export const SENT = 1
export const RECEIVED = 2
export type Level = 0 | 1 | 2

export const SHOWN = 1
export const DISMISSED = 2
export const CLICKED = 3

const numberOf = Object.fromEntries(states.map((name, i) => [name, i])) as Record<DeliveryState, number>

export const byteOf = (state: DeliveryState, level: Level = NOTHING): number => numberOf[state] | (level << 4)
export const stateOf = (byte: number): DeliveryState => states[byte & 0x0f] ?? 'pending'
export const levelOf = (byte: number): Level => ((byte >> 4) & 3) as Level
export const seenOf = (byte: number): number => byte >> 6

const PENDING = numberOf.pending
const WAITING = numberOf.waiting
const DONE = numberOf.done

export const isPending = (byte: number): boolean => (byte & 0x0f) === PENDING
/** Still to be had by the device: not acknowledged, and nothing else became of it. */
export const isDeliverable = (byte: number): boolean => (byte & 0x0f) <= WAITING && levelOf(byte) < RECEIVED

export const withState = (byte: number, state: DeliveryState): number => (byte & 0xf0) | numberOf[state]

/**
 * What is newly known of a delivery, laid out like its byte; `final`: nothing more is to be done on this channel. A number,
 * because they come by the ten thousand.
 */
export type Mark = number

export const markOf = (level: Level, final: boolean, seen = 0): Mark => (final ? DONE : PENDING) | (level << 4) | (seen << 6)

export const isFinal = (mark: Mark): boolean => (mark & 0x0f) === DONE

/** Both marks at once. */
export const joinMarks = (a: Mark, b: Mark): Mark =>
  Math.max(a & 0x0f, b & 0x0f) | Math.max(a & 0x30, b & 0x30) | Math.max(a & 0xc0, b & 0xc0)

/** Moves a byte forward; never back. */
export const withMark = (byte: number, mark: Mark): number => {
  const state = (mark & 0x0f) === DONE && (byte & 0x0f) <= WAITING ? DONE : byte & 0x0f
  return state | Math.max(byte & 0x30, mark & 0x30) | Math.max(byte & 0xc0, mark & 0xc0)
}

export interface Fold {
  sent: number
  received: number
  waiting: number
  pending: number
}

/** The tally is always folded from the bytes, so it cannot drift from them. */
export const fold = (bytes: Uint8Array): Fold => {
  const sum = { sent: 0, received: 0, waiting: 0, pending: 0 }
  for (const byte of bytes) {
    const level = (byte >> 4) & 3
    if (level > 0) sum.sent++
    if (level > 1) sum.received++
    const state = byte & 0x0f
    if (state === PENDING) sum.pending++
    else if (state === WAITING) sum.waiting++
  }
  return sum
}

/** Ids are below 2^53, so a double holds them; ascending, so one is found by halving. */
export const packIds = (ids: readonly number[]): Uint8Array => new Uint8Array(new Float64Array(ids).buffer)

export const unpackIds = (packed: Uint8Array): Float64Array =>
  packed.byteOffset % 8 === 0
    ? new Float64Array(packed.buffer, packed.byteOffset, packed.byteLength / 8)
    : new Float64Array(packed.slice().buffer)

export const packBadges = (badges: Int32Array): Uint8Array => new Uint8Array(badges.buffer, badges.byteOffset, badges.byteLength)

export const unpackBadges = (packed: Uint8Array): Int32Array =>
  packed.byteOffset % 4 === 0
    ? new Int32Array(packed.buffer, packed.byteOffset, packed.byteLength / 4)
    : new Int32Array(packed.slice().buffer)

/** The place of an id in an ascending list; -1 when it is not there. */
export const placeOf = (ids: Float64Array, id: number): number => {
  let low = 0
  let high = ids.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const found = ids[middle]!
    if (found === id) return middle
    if (found < id) low = middle + 1
    else high = middle - 1
  }
  return -1
}
