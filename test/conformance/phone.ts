import type { Carillon, Login } from '../harness/carillon.ts'
import { connectDevice, type Device, type DeviceOptions, type Received } from '../harness/device.ts'

/** What a test sends; malformed on purpose here and there. */
export type Fields = Record<string, unknown>

/** A device that is online, and notifications to its user. */
export class Phone {
  readonly login: Login
  readonly device: Device
  readonly #carillon: Carillon

  constructor(carillon: Carillon, login: Login, device: Device) {
    this.#carillon = carillon
    this.login = login
    this.device = device
  }

  get audience(): Fields {
    return { user_id: [this.login.user_id] }
  }

  /** Resolves to the push of that task, which may have arrived already. */
  async gets(taskId: number): Promise<Received> {
    for (;;) {
      const { received } = this.device
      const push = received.find(({ task_id }) => task_id === taskId)
      if (push) return push
      await this.device.has(received.length + 1)
    }
  }

  /** Sends a message to the phone, and resolves to what arrived. */
  async push(message: Fields, setting?: Fields): Promise<Received> {
    return this.gets(await this.#carillon.notify({ audience: this.audience, setting, message }))
  }

  /** Code and text of the answer to a message that should be refused. */
  async refusal(message: unknown, setting?: unknown): Promise<{ code: number; message: string }> {
    const body = { audience: this.audience, setting, message }
    const { code, message: text } = await this.#carillon.call('/push/notify', { token: this.#carillon.admin, body })
    return { code, message: text ?? '' }
  }

  /** The message or the setting of a task as Carillon keeps it. */
  async kept(taskId: number): Promise<{ message: Fields & Record<string, Fields>; setting: Fields }> {
    return this.#carillon.ok(`/push/task/${taskId}`, { token: this.#carillon.admin })
  }
}

/** A new user with one device, connected. */
export const connectPhone = async (
  t: { after(work: () => unknown): void },
  carillon: Carillon,
  name: string,
  options: DeviceOptions = {},
): Promise<Phone> => {
  const login = await carillon.tokenFor(await carillon.addUser(name), name)
  return new Phone(carillon, login, await connectDevice(t, carillon, login, options))
}
