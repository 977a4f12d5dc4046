import type { DeviceCalls } from '@carillon/sdk/device-calls.ts'
import type { Device, DeviceState } from '@carillon/sdk/device.ts'
import type { ReceiptEvent } from '@carillon/protocol/names.ts'
import type { Push } from '@carillon/sdk/push.ts'
import { useSyncExternalStore } from 'react'

/** A push as it arrived here, and what was reported of it. */
export interface Arrival {
  push: Push
  at: number
  reported: readonly ReceiptEvent[]
}

/** This browser as a device; it lives above the pages, so that moving between them does not end the connection. */
export interface BrowserDevice {
  /** Undefined while the browser is no device. */
  pushToken: string | undefined
  userId: number | undefined
  state: DeviceState | undefined
  /** The newest first. */
  arrivals: readonly Arrival[]
  /** Arrivals nobody has looked at yet. */
  unseen: number
}

export interface Login {
  push_token?: string
  token: string
  user_id: number
}

const NOBODY: BrowserDevice = { pushToken: undefined, userId: undefined, state: undefined, arrivals: [], unseen: 0 }
const MOST_KEPT = 200

let now = NOBODY
let device: Device | undefined
let calls: DeviceCalls | undefined
const listeners = new Set<() => void>()

const become = (change: Partial<BrowserDevice>): void => {
  now = { ...now, ...change }
  for (const listener of listeners) listener()
}

const arrived = (push: Push): void =>
  become({ arrivals: [{ push, at: Date.now(), reported: [] }, ...now.arrivals].slice(0, MOST_KEPT), unseen: now.unseen + 1 })

/** Connects with what a login that named a device was answered. The SDK is loaded when it is first needed. */
export const connectBrowser = async (appId: string, { push_token, token, user_id }: Login): Promise<void> => {
  const [{ connectDevice }, { DeviceCalls: Calls }] = await Promise.all([import('@carillon/sdk/device.ts'), import('@carillon/sdk/device-calls.ts')])
  disconnectBrowser()
  calls = new Calls({ url: location.origin, appId, accessToken: token })
  become({ pushToken: push_token, userId: user_id })
  device = connectDevice({ url: location.origin, pushToken: push_token!, accessToken: token, onPush: arrived })
  become({ state: device.state })
  device.on('state', (state) => become({ state }))
}

export const disconnectBrowser = (): void => {
  device?.stop()
  device = undefined
  calls = undefined
  become(NOBODY)
}

/** Ends the login, so that nothing is sent to this browser any more. */
export const signBrowserOut = async (): Promise<void> => {
  await calls?.logout()
  disconnectBrowser()
}

/** Tells the server what became of a push. */
export const reportArrival = async ({ push }: Arrival, event: ReceiptEvent): Promise<void> => {
  await device?.report(push, event)
  become({
    arrivals: now.arrivals.map((each) => (each.push.task_id === push.task_id ? { ...each, reported: [...each.reported, event] } : each)),
  })
}

/** The calls a device makes as its user; undefined while the browser is no device. */
export const browserCalls = (): DeviceCalls | undefined => calls

export const sawArrivals = (): void => {
  if (now.unseen > 0) become({ unseen: 0 })
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useBrowserDevice = (): BrowserDevice => useSyncExternalStore(subscribe, () => now)

const GUID = 'carillon.browser'

/** The same while this tab lives: a reload is the same device. */
export const browserGuid = (): string => {
  const kept = sessionStorage.getItem(GUID)
  if (kept !== null) return kept
  const made = `browser-${Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('')}`
  sessionStorage.setItem(GUID, made)
  return made
}
