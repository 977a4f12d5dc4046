/** All channels, in the order statistics list them. The file name of a vendor is its channel's name. */
export const channels = ['apns', 'fcm', 'flyme', 'honor', 'huawei', 'nativepush', 'oppo', 'vivo', 'xiaomi'] as const
export type ChannelName = (typeof channels)[number]
export type VendorName = Exclude<ChannelName, 'nativepush'>

export const ownChannel = 'nativepush' satisfies ChannelName
export const vendorNames = channels.filter((name): name is VendorName => name !== ownChannel)

/** `provider` numbers of the interface. */
export const vendorOfProvider: Record<number, VendorName> = {
  1: 'apns',
  2: 'huawei',
  3: 'xiaomi',
  4: 'flyme',
  5: 'vivo',
  6: 'oppo',
  7: 'fcm',
  8: 'honor',
}

export const providerOfVendor = Object.fromEntries(
  Object.entries(vendorOfProvider).map(([provider, vendor]) => [vendor, Number(provider)]),
) as Record<VendorName, number>

/** What people call each vendor, in English and in Chinese. */
export const vendorTitles: Record<VendorName, { en: string; zh: string }> = {
  apns: { en: 'APNs', zh: 'APNs' },
  fcm: { en: 'FCM', zh: 'FCM' },
  flyme: { en: 'Meizu', zh: '魅族' },
  honor: { en: 'Honor', zh: '荣耀' },
  huawei: { en: 'Huawei', zh: '华为' },
  oppo: { en: 'OPPO', zh: 'OPPO' },
  vivo: { en: 'vivo', zh: 'vivo' },
  xiaomi: { en: 'Xiaomi', zh: '小米' },
}

/** The name a vendor has in settings. */
export const spokenName = (vendor: VendorName): string => vendorTitles[vendor].en.toLowerCase()

/** Providers are numbered from 1 without gaps. */
export const LAST_PROVIDER = Object.keys(vendorOfProvider).length

/** Every provider's number, for people: `1 APNs, 2 Huawei …`. */
export const providersInWords = Object.entries(vendorOfProvider)
  .map(([provider, vendor]) => `${provider} ${vendorTitles[vendor].en}`)
  .join(', ')

/** What may stand in `ospush_sequence`, and the vendors it means, in order. Meizu answers to both of its names. */
export const sequenceItems: Record<string, readonly VendorName[]> = {
  ups: ['xiaomi', 'huawei', 'flyme', 'oppo', 'vivo', 'honor'],
  fcm: ['fcm'],
  huawei: ['huawei'],
  xiaomi: ['xiaomi'],
  oppo: ['oppo'],
  vivo: ['vivo'],
  meizu: ['flyme'],
  flyme: ['flyme'],
  honor: ['honor'],
}

/** Whose own console keeps the address that deliveries are reported to; the other vendors are told it with every push. */
export const consoleReporters: readonly VendorName[] = ['huawei', 'honor', 'vivo']

export const strategies = ['combined', 'nativepush_only', 'ospush_only'] as const
export type Strategy = (typeof strategies)[number]

export const messageTypes = ['text', 'image', 'cmd'] as const
export type MessageType = (typeof messageTypes)[number]

export const platforms = ['ios', 'android', 'web', 'other'] as const
export type Platform = (typeof platforms)[number]

/** What can have happened on the way to one device, in about the order in which it does. */
export const stepNames = [
  'accepted', 'to_be_planned', 'not_in_audience', 'not_reached_yet', 'not_sent', 'held', 'chosen', 'sent', 'received', 'shown',
  'dismissed', 'clicked', 'away', 'queued', 'later', 'gone', 'refused', 'denied', 'lost', 'unknown', 'due', 'awaited', 'in_inbox',
  'moved_on', 'ended', 'ended_gone', 'expired', 'withdrawn', 'overflow', 'replaced', 'dry_run', 'cancelled',
] as const
export type StepName = (typeof stepNames)[number]

/** Where a delivery stands, or how it ended, in a word. */
export const deliveryWords = [
  'received', 'sent', 'done', 'pending', 'waiting', 'moved', 'refused', 'dead', 'expired', 'cancelled', 'overflow',
  'replaced', 'planned', 'untargeted',
] as const
export type DeliveryWord = (typeof deliveryWords)[number]

export const taskStates = ['accepted', 'planning', 'sending', 'done', 'cancelled', 'expired'] as const
export type TaskState = (typeof taskStates)[number]

/** By what an audience asks for devices. */
export const audienceKinds = ['all', 'tag', 'alias', 'user_id', 'push_token'] as const
export type AudienceKind = (typeof audienceKinds)[number]

export const receiptEvents = ['received', 'shown', 'clicked', 'dismissed'] as const
export type ReceiptEvent = (typeof receiptEvents)[number]
