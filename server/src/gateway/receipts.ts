import { Refused } from '@carillon/protocol/errors.ts'
import { parseJson } from '@carillon/protocol/json.ts'
import type { DeviceCaller, GatewayPorts } from './ports.ts'
import { reason, type Reason } from './reason.ts'

/** What became of one receipt. `lost`: it could not be stored, and the device should say it again. */
export type Taken =
  | { kind: 'taken' }
  | { kind: 'refused'; code: Reason; why: string }
  | { kind: 'lost'; error: unknown }

/**
 * Receipts one session is taking: side by side, because they are written in groups, but answered in the order they
 * came, as MQTT wants acknowledgements.
 */
export class Receipts {
  #last: Promise<void> = Promise.resolve()
  /** Taken and not yet answered. */
  open = 0

  take(ports: GatewayPorts, caller: DeviceCaller, payload: Buffer, answer: (taken: Taken) => void): void {
    this.open += 1
    const taking = takeReceipt(ports, caller, payload)
    const before = this.#last
    this.#last = (async () => {
      await before
      const taken = await taking
      this.open -= 1
      answer(taken)
    })()
  }
}

const takeReceipt = async (ports: GatewayPorts, caller: DeviceCaller, payload: Buffer): Promise<Taken> => {
  let item: unknown
  try {
    item = parseJson(payload)
  } catch (error) {
    return { kind: 'refused', code: reason.payloadFormatInvalid, why: (error as Error).message }
  }
  try {
    await ports.receipt(caller, item)
    return { kind: 'taken' }
  } catch (error) {
    if (error instanceof Refused) return { kind: 'refused', code: reason.implementationSpecific, why: error.message }
    return { kind: 'lost', error }
  }
}
