import { ownChannel, type ChannelName } from '@carillon/protocol/names.ts'
import { call, type Place } from '@carillon/sdk/call.ts'
import type { Caller } from '@carillon/sdk/caller.ts'
import { connectDevice, type Device } from '@carillon/sdk/device.ts'
import { overTcp } from '@carillon/sdk/tcp.ts'
import type { Simulators } from '@carillon/simulators/simulators.ts'
import type { Person } from './people.ts'

const CONNECTING_AT_ONCE = 32
const REPORTING_AT_ONCE = 8
/** Of ten phones. The others are switched off, or their app is an old one. */
const REPORTING_OF_TEN = 7

/** Connects those on the own channel; each acknowledges whatever comes. Resolves when all of them are online. */
export const connect = async (
  { caller, mqttUrl, people, ids }: { caller: Caller; mqttUrl: string; people: readonly Person[]; ids: ReadonlyMap<string, number> },
): Promise<Device[]> => {
  const devices: Device[] = []
  const queue = people.filter(({ channel }) => channel === ownChannel).values()
  const connecting = async (): Promise<void> => {
    for (const { name } of queue) {
      const { token, push_token } = await caller.tokenFor(ids.get(name)!, name)
      const device = connectDevice({ url: mqttUrl, dial: overTcp(), pushToken: push_token!, accessToken: token, onPush: () => {} })
      devices.push(device)
      await online(device)
    }
  }
  await Promise.all(Array.from({ length: CONNECTING_AT_ONCE }, connecting))
  return devices
}

const online = async (device: Device): Promise<void> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const stop = device.on('state', (state) => {
    if (state.kind === 'online') resolve()
    if (state.kind === 'stopped') reject(new Error(state.message))
  })
  await promise
  stop()
}

interface Report {
  person: Person
  taskId: number
  channel: ChannelName
}

/**
 * Apple and Google do not report deliveries: the app on the phone does. Watches what their simulators hand to phones and
 * reports it as those phones would. The answer ends it.
 */
export const reportAsPhones = (
  { simulators, caller, admin, people, ids }: {
    simulators: Simulators
    caller: Caller
    admin: Place
    people: readonly Person[]
    ids: ReadonlyMap<string, number>
  },
): (() => void) => {
  const reporting = people.filter(({ channel }, i) => (channel === 'apns' || channel === 'fcm') && i % 10 < REPORTING_OF_TEN)
  const byToken = new Map(reporting.map((person) => [person.vendorToken, person]))
  const logins = new Map<string, Promise<string>>()
  const login = (name: string): Promise<string> => {
    const kept = logins.get(name) ?? caller.tokenFor(ids.get(name)!, name).then(({ token }) => token)
    logins.set(name, kept)
    return kept
  }
  const waiting: Report[] = []
  let working = 0
  let ended = false
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next && !ended; next = waiting.shift()) {
      const { person, taskId, channel } = next
      const body = { list: [{ task_id: taskId, event: 'received', channel }] }
      await call({ ...admin, accessToken: await login(person.name) }, '/push/receipt', { body })
    }
  }
  const begin = (): void => {
    if (working >= REPORTING_AT_ONCE || ended) return
    working += 1
    // A phone that cannot report now lets it be; the next push is another occasion.
    void work().catch(() => {}).finally(() => (working -= 1))
  }
  const stop = simulators.watch((event) => {
    if (!('received' in event)) return
    const { vendor, taken, fields } = event.received
    const taskId = taken.length > 0 ? taskIdIn(fields) : undefined
    if (taskId === undefined) return
    for (const token of taken) {
      const person = byToken.get(token)
      if (person) waiting.push({ person, taskId, channel: vendor })
    }
    begin()
  })
  return () => {
    ended = true
    stop()
  }
}

/** Every payload carries it, as a number or as text. */
const taskIdIn = (fields: unknown): number | undefined => {
  const found = /"task_id":"?(\d+)/.exec(JSON.stringify(fields) ?? '')
  return found ? Number(found[1]) : undefined
}
