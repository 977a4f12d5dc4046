import type { VendorName } from '@carillon/protocol/names.ts'
import { type AudienceDevice, type UsableToken, certificatePlaces, usableTokens } from '../store/audience.ts'
import type { Store } from '../store/store.ts'
import type { Channel } from './channel.ts'
import type { Roads } from './route.ts'
import { type Task, strategyOf } from './task.ts'

export type Vendors = ReadonlyMap<VendorName, Channel>

const NO_ROADS: Roads = { carries: () => false, certified: () => false }

/** What is needed to route these devices: read only where a vendor could come into it. */
export const roadsFor = async (
  store: Store,
  vendors: Vendors,
  task: Task,
  devices: readonly AudienceDevice[],
): Promise<{ roads: Roads; tokens: UsableToken[] }> => {
  if (vendors.size === 0 || strategyOf(task.setting) === 'nativepush_only') return { roads: NO_ROADS, tokens: [] }
  const places = new Set(await store.read(certificatePlaces, { app: task.app }))
  if (places.size === 0) return { roads: NO_ROADS, tokens: [] }
  return {
    roads: {
      carries: (vendor, message) => vendors.get(vendor)?.carries(message) ?? false,
      certified: (vendor, environment) => places.has(`${vendor}/${environment}`),
    },
    tokens: await store.read(usableTokens, { ids: devices.map((device) => device.id) }),
  }
}
