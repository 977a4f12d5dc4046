import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { providerOfVendor, spokenName, type VendorName } from '@carillon/protocol/names.ts'
import { type Simulators, type SimulatorsOptions, startSimulators } from '@carillon/simulators/simulators.ts'
import { vendors as simulated } from '@carillon/simulators/vendors.ts'
import { freePort } from '../../scripts/free-port.ts'
import { Carillon, type Login } from './carillon.ts'

export { spokenName } from '@carillon/protocol/names.ts'

export const vendorNames = Object.keys(providerOfVendor) as VendorName[]

/** One app's account at every vendor, as its console would show it and as the vendor itself knows it. */
export const makeAccounts = () => {
  const samples = vendorNames.map((vendor) => [vendor, simulated[vendor].sample()] as const)
  return {
    known: Object.fromEntries(samples.map(([vendor, { account }]) => [vendor, [account]])) as NonNullable<SimulatorsOptions['accounts']>,
    certificates: Object.fromEntries(samples.map(([vendor, { certificate }]) => [vendor, certificate])) as Record<VendorName, Record<string, unknown>>,
  }
}

/** A token of a vendor's usual shape. `fate`: what the simulator is told by its beginning. */
export const vendorToken = (vendor: VendorName, fate = ''): string => simulated[vendor].sampleToken(fate)

/** The server, every vendor's simulator, and an app with an account at each of them. */
export class VendorWorld {
  readonly carillon: Carillon
  readonly simulators: Simulators
  readonly certificates: Record<VendorName, Record<string, unknown>>
  #devices = 0

  constructor(carillon: Carillon, simulators: Simulators, certificates: Record<VendorName, Record<string, unknown>>) {
    this.carillon = carillon
    this.simulators = simulators
    this.certificates = certificates
  }

  async setCertificate(vendor: VendorName, more: Record<string, unknown> = {}): Promise<void> {
    const body = { provider: providerOfVendor[vendor], environment: 1, ...this.certificates[vendor], ...more }
    await this.carillon.ok('/push/certificate', { method: 'PUT', token: this.carillon.admin, body })
    await this.carillon.heard()
  }

  /** A user with a device that has these vendors' tokens. */
  async addDevice(tokens: Partial<Record<VendorName, string>>): Promise<Login> {
    const { carillon } = this
    const name = `member ${(this.#devices += 1)}`
    const login = await carillon.tokenFor(await carillon.addUser(name), name)
    for (const [vendor, token] of Object.entries(tokens) as [VendorName, string][]) {
      const platform = vendor === 'apns' ? 'ios' : 'android'
      await carillon.ok('/user/token/bind', { token: login.token, body: { device_token: token, provider: providerOfVendor[vendor], environment: 1, platform } })
    }
    return login
  }

  /** Many at once, as a team that moves here brings them: one device for each token. */
  async importDevices(vendor: VendorName, tokens: readonly string[], tag?: string): Promise<void> {
    const first = this.#devices
    this.#devices += tokens.length
    const name = (i: number): string => `member ${first + i + 1}`
    const users = tokens.map((_, i) => JSON.stringify({ name: name(i) }))
    const platform = vendor === 'apns' ? 'ios' : 'android'
    const devices = tokens.map((token, i) =>
      JSON.stringify({ name: name(i), device_guid: name(i), platform, tokens: [{ provider: providerOfVendor[vendor], environment: 1, token }], ...(tag && { tags: [tag] }) }),
    )
    await this.carillon.cli(['user', 'import', '--app', 'demo', '-'], { input: `${users.join('\n')}\n` })
    await this.carillon.cli(['device', 'import', '--app', 'demo', '-'], { input: `${devices.join('\n')}\n` })
  }

  /** Sends to the vendors alone and waits until the task is done. */
  async send(message: Record<string, unknown>, audience: unknown = 'all', setting: Record<string, unknown> = {}): Promise<number> {
    const task = await this.notify(message, audience, setting)
    await this.isOver(task)
    return task
  }

  /** The same without waiting. */
  notify(message: Record<string, unknown>, audience: unknown = 'all', setting: Record<string, unknown> = {}): Promise<number> {
    return this.carillon.notify({ audience, message, setting: { distribution_strategy: 'ospush_only', ...setting } })
  }

  async isOver(task: number): Promise<void> {
    await this.carillon.until(() => this.carillon.task(task), ({ state }) => state === 'done' || state === 'expired')
  }
}

/** Starts all of it; it ends with the test. `vendors`: whose certificates are set. */
export const startVendorWorld = async (
  t: { after(work: () => unknown): void },
  { vendors = vendorNames, env = {}, simulators: options = {} }: { vendors?: readonly VendorName[]; env?: NodeJS.ProcessEnv; simulators?: SimulatorsOptions } = {},
): Promise<VendorWorld> => {
  const { known, certificates } = makeAccounts()
  const simulators = await startSimulators({ accounts: known, ...options })
  const port = await freePort() // vendors are told where to report before the server listens
  const urls = Object.fromEntries(vendorNames.map((vendor) => [`CARILLON_VENDOR_URL_${spokenName(vendor).toUpperCase()}`, simulators.urls[vendor]]))
  const data = await mkdtemp(join(tmpdir(), 'carillon-test-'))
  const carillon = new Carillon(data, { ...urls, CARILLON_PORT: String(port), CARILLON_PUBLIC_URL: `http://127.0.0.1:${port}`, ...env })
  t.after(async () => {
    await carillon.remove()
    await simulators.close()
  })
  await carillon.start()
  const world = new VendorWorld(carillon, simulators, certificates)
  await Promise.all(vendors.map((vendor) => world.setCertificate(vendor)))
  return world
}
