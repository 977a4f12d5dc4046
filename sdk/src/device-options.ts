import type { OnPush } from './arrivals.ts'
import { type Clock, systemClock } from './clock.ts'
import { type Pauses, usualPauses } from './pauses.ts'
import { type Seen, seenInMemory } from './seen.ts'
import { overWebSocket } from './websocket.ts'
import type { Dial } from './wire.ts'

export interface DeviceOptions {
  /**
   * Where the server is: `https://push.example.com` (as for the calls), `wss://push.example.com/mqtt`, or, with
   * `dial: overTcp()` in Node, `mqtts://push.example.com:7701`.
   */
  url: string
  /** Both come from a login that named a device. */
  pushToken: string
  accessToken: string
  /**
   * Called with every push, one after the other. The push is acknowledged when it has returned or its promise has
   * resolved: store first, then resolve. If it throws, the push is not acknowledged and comes again.
   */
  onPush: OnPush
  /** What was handled before; in memory unless told otherwise. */
  seen?: Seen
  /** What carries the bytes; WebSocket unless told otherwise. */
  dial?: Dial
  /** How soon each side notices that the other is gone. */
  keepAliveSeconds?: number
  pauses?: Partial<Pauses>
  clock?: Clock
  chance?: () => number
}

export interface CheckedOptions extends Required<Omit<DeviceOptions, 'url' | 'pauses'>> {
  url: URL
  pauses: Pauses
}

/** What was left out filled in; what cannot work is thrown at once, and not when a device is away from its makers. */
export const checkOptions = ({
  url,
  pauses,
  seen = seenInMemory(),
  dial = overWebSocket,
  keepAliveSeconds = 60,
  clock = systemClock,
  chance = Math.random,
  ...rest
}: DeviceOptions): CheckedOptions => {
  checkKeepAlive(keepAliveSeconds)
  const address = addressOf(url, dial)
  return { ...rest, url: address, pauses: { ...usualPauses, ...pauses }, seen, dial, keepAliveSeconds, clock, chance }
}

const addressOf = (text: string, { schemes }: Dial): URL => {
  const url = new URL(text)
  if (url.protocol === 'http:') url.protocol = 'ws:'
  if (url.protocol === 'https:') url.protocol = 'wss:'
  if (!schemes.includes(url.protocol)) {
    const known = schemes.join(' or ')
    throw new TypeError(`url must begin with ${known} here, not ${url.protocol}; mqtt: needs dial: overTcp()`)
  }
  if (url.protocol.startsWith('ws') && url.pathname === '/') url.pathname = '/mqtt'
  return url
}

const checkKeepAlive = (seconds: number): void => {
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= 0xffff) return
  throw new RangeError('keepAliveSeconds must be a whole number from 1 to 65535')
}
