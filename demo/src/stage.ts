import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type ChannelName, type VendorName, channels, spokenName } from '@carillon/protocol/names.ts'
import type { Place } from '@carillon/sdk/call.ts'
import { Caller } from '@carillon/sdk/caller.ts'
import type { Device } from '@carillon/sdk/device.ts'
import { type Simulators, startSimulators } from '@carillon/simulators/simulators.ts'
import { openAccounts } from './accounts.ts'
import { connect, reportAsPhones } from './devices.ts'
import type { Options } from './options.ts'
import { idsOf, invent, moveIn } from './people.ts'
import { spelt } from './picture.ts'
import { freePort } from '../../scripts/free-port.ts'
import { type LogLine, Server } from './server.ts'

/** Everything that takes part, running. */
export interface Stage {
  url: string
  admin: Place & { accessToken: string }
  caller: Caller
  simulators: Simulators
  connected: readonly Device[]
  userIds: readonly number[]
  /** How many devices each channel reaches. */
  devices: Readonly<Record<ChannelName, number>>
}

export interface Around {
  options: Options
  /** What was opened is closed by these, last first. */
  closings: (() => unknown)[]
  signal: AbortSignal
  say(text: string): void
  onLog(line: LogLine): void
  /** The server ended by itself. */
  onEnd(why: Error): void
}

/** Puts it together. The server is started twice: where vendors report to must be known before their simulators start. */
export const setStage = async ({ options, closings, signal, say, onLog, onEnd }: Around): Promise<Stage> => {
  const data = options.data === undefined ? await temporaryFolder(closings) : resolve(options.data)
  const server = new Server({ data, port: await freePort(), onLog })
  closings.push(() => server.stop())
  await server.start()
  const accessToken = server.firstToken ?? (await server.run(['token', 'create', '--app', 'demo', '--name', 'demo']))
  const admin = { url: server.url, appId: 'demo', accessToken }
  const caller = new Caller(admin)

  signal.throwIfAborted()
  const people = invent(options.devices)
  say(`bringing in ${spelt(people.length)} users with a device each, and an account at every vendor`)
  const receiptUrls = await openAccounts(caller)
  await moveIn(server, people)
  const ids = await idsOf(caller)
  await server.stop()

  signal.throwIfAborted()
  const simulators = await startSimulators({ receiptUrls })
  closings.push(() => simulators.close())
  await server.start(vendorUrls(simulators), onEnd)
  closings.push(() => server.stop())

  signal.throwIfAborted()
  say('connecting the devices of the own channel')
  const connected = await connect({ caller, mqttUrl: server.mqttUrl, people, ids })
  closings.push(() => connected.forEach((device) => device.stop()))
  closings.push(reportAsPhones({ simulators, caller, admin, people, ids }))

  const devices = Object.fromEntries(channels.map((channel) => [channel, 0])) as Record<ChannelName, number>
  for (const { channel } of people) devices[channel] += 1
  return { url: server.url, admin, caller, simulators, connected, userIds: people.map(({ name }) => ids.get(name)!), devices }
}

const temporaryFolder = async (closings: (() => unknown)[]): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-demo-'))
  closings.push(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** As `carillon simulate` prints them. */
const vendorUrls = ({ urls }: Simulators): Record<string, string> => {
  const variableOf = (vendor: VendorName): string => `CARILLON_VENDOR_URL_${spokenName(vendor).toUpperCase()}`
  return Object.fromEntries(Object.entries(urls).map(([vendor, url]) => [variableOf(vendor as VendorName), url]))
}
