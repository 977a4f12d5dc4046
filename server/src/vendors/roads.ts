import type { VendorName } from '@carillon/protocol/names.ts'
import type { Channel, Vendors } from '../push/channel.ts'
import { vendorChannel } from './channel.ts'
import type { Desk } from './desk.ts'
import { vendors } from './vendors.ts'

/** All vendors, as the path of a push sees them. */
export const vendorRoads = (desk: Desk): Vendors => {
  const channels = new Map<VendorName, Channel>(Object.values(vendors).map((vendor) => [vendor.name, vendorChannel(desk, vendor)]))
  return {
    names: [...channels.keys()],
    roads: async (app, message) =>
      (await desk.accounts.of(app)).accounts.filter((account) => vendors[account.vendor].carries(message, account)),
    channel: (name) => channels.get(name),
    isOpen: (name, app, environment) => desk.isOpen(name, app, environment),
  }
}
