import type { Order } from '@carillon/simulators/order.ts'

/** Trouble at one vendor for a while. */
export interface Mishap {
  words: string
  order: Order
  seconds: number
}

/** All of it is what vendors really do. */
export const mishaps: readonly Mishap[] = [
  { words: 'fcm says it is too much: 429, Retry-After 3 s', order: { vendor: 'fcm', fault: 'limited', retryAfterSeconds: 3 }, seconds: 4 },
  { words: 'vivo calls every token dead: nobody may lose a device by that', order: { vendor: 'vivo', fault: 'dead' }, seconds: 6 },
  { words: 'huawei is down: 503', order: { vendor: 'huawei', fault: 'status', status: 503 }, seconds: 6 },
  { words: 'apns closes its connections: GOAWAY', order: { vendor: 'apns', fault: 'goaway', chance: 0.2 }, seconds: 4 },
  { words: 'xiaomi is slow: 1 to 3 s an answer', order: { vendor: 'xiaomi', fault: 'latency', ms: 1000, spreadMs: 2000 }, seconds: 8 },
  { words: 'oppo has forgotten our access token', order: { vendor: 'oppo', fault: 'expired', times: 1 }, seconds: 4 },
  {
    words: 'honor takes pushes and breaks the connection instead of answering, half the time',
    order: { vendor: 'honor', fault: 'reset', processed: true, chance: 0.5 },
    seconds: 6,
  },
]
