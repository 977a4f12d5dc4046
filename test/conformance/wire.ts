import assert from 'node:assert/strict'
import type { VendorName } from '@carillon/protocol/names.ts'
import { vendorToken, type VendorWorld } from '../harness/vendor-world.ts'
import type { Fields } from './phone.ts'
import type { vendorObjects } from './rows.ts'

/** What a vendor gets of one field of a message: the value that is sent, the way to it on the wire, and what stands there. */
export interface OnWire {
  value: unknown
  way: readonly (string | number)[]
  arrives: unknown
  /** What must stand beside the field. */
  beside?: Fields
}

export const page = 'intent://open#Intent;scheme=app;component=org.example.app/org.example.app.Page;S.order=7;end'

const sound = (way: OnWire['way'], arrives: unknown = 'bell', value = 'bell'): OnWire => ({ value, way, arrives })
const channel = (...way: OnWire['way']): OnWire => ({ value: 'news', way, arrives: 'news' })
const opensApp = (way: OnWire['way'], arrives: unknown): OnWire => ({ value: 'open_app', way, arrives })
const opensPage = (way: OnWire['way'], arrives: unknown): OnWire => ({ value: page, way, arrives, beside: { click_action: 'intent' } })
const badgeClass = (...way: OnWire['way']): OnWire => ({ value: 'org.example.app.Main', way, arrives: 'org.example.app.Main' })

const huawei = ['message', 'android', 'notification']
const honor = ['android', 'notification']
const oppo = [0, 'notification']

/** The fields of each vendor's own object that have a place there; `undefined`: the vendor has none. */
export const vendorFields: Record<(typeof vendorObjects)[number], Record<string, OnWire | undefined>> = {
  huawei: {
    sound: sound([...huawei, 'sound'], '/raw/bell'),
    channel_id: channel(...huawei, 'channel_id'),
    click_action: opensApp([...huawei, 'click_action'], { type: 3 }),
    intent: opensPage([...huawei, 'click_action'], { type: 1, intent: page }),
    badge_class: badgeClass(...huawei, 'badge', 'class'),
  },
  xiaomi: {
    sound: sound(['extra.sound_uri'], 'android.resource://com.example.app/raw/bell'),
    channel_id: channel('extra.channel_id'),
    click_action: opensApp(['extra.notify_effect'], '1'),
    intent: opensPage(['extra.intent_uri'], page),
  },
  oppo: {
    sound: undefined,
    channel_id: channel(...oppo, 'channel_id'),
    click_action: opensApp([...oppo, 'click_action_type'], 0),
    intent: opensPage([...oppo, 'click_action_activity'], 'org.example.app.Page'),
  },
  vivo: {
    sound: sound(['notifyType'], 1, 'none'),
    channel_id: undefined,
    click_action: opensApp(['skipType'], 1),
    intent: opensPage(['skipContent'], page),
    push_mode: { value: 1, way: ['pushMode'], arrives: 1 },
    classification: { value: 1, way: ['classification'], arrives: 1 },
  },
  flyme: {
    sound: sound(['message', 'advanceInfo', 'notificationType', 'sound'], 0, 'none'),
    channel_id: undefined,
    click_action: opensApp(['message', 'clickTypeInfo', 'clickType'], 0),
    intent: opensPage(['message', 'clickTypeInfo', 'activity'], 'org.example.app.Page'),
  },
  fcm: {
    sound: sound(['message', 'android', 'notification', 'sound']),
    channel_id: channel('message', 'android', 'notification', 'channel_id'),
    // What opens the app at FCM is that nothing else is named.
    click_action: opensApp(['message', 'android', 'notification', 'click_action'], undefined),
    intent: opensPage(['message', 'data', 'intent'], page),
  },
  honor: {
    sound: undefined,
    channel_id: undefined,
    click_action: opensApp([...honor, 'clickAction'], { type: 3 }),
    intent: opensPage([...honor, 'clickAction'], { type: 1, intent: page }),
    badge_class: badgeClass(...honor, 'badge', 'badgeClass'),
  },
}

const aps = ['payload', 'aps']

export const iosFields: Record<string, OnWire> = {
  sound: sound([...aps, 'sound']),
  content_available: { value: true, way: [...aps, 'content-available'], arrives: 1 },
  mutable_content: { value: true, way: [...aps, 'mutable-content'], arrives: 1 },
  category: { value: 'invitation', way: [...aps, 'category'], arrives: 'invitation' },
  thread_id: { value: 'chat 7', way: [...aps, 'thread-id'], arrives: 'chat 7' },
  subtitle: { value: 'from Ann', way: [...aps, 'alert', 'subtitle'], arrives: 'from Ann' },
  apns_collapse_id: { value: 'chat-7', way: ['collapse_id'], arrives: 'chat-7' },
}

/** What stands at the end of a way. */
export const at = (fields: unknown, way: OnWire['way']): unknown =>
  way.reduce<unknown>((inner, step) => (inner as Record<string | number, unknown> | undefined)?.[step], fields)

/** Sends a message through one vendor to a device of its own; resolves to what the vendor understood. */
export const sentTo = async (world: VendorWorld, vendor: VendorName, message: Fields): Promise<unknown> => {
  const token = vendorToken(vendor)
  // vivo takes test pushes for devices its console lists.
  if (vendor === 'vivo') world.simulators.order({ vendor, options: { testDevices: token } })
  const { push_token } = await world.addDevice({ [vendor]: token })
  await world.send(message, { push_token: [push_token] })
  const received = world.simulators.received(vendor).findLast(({ tokens }) => tokens.includes(token))
  assert.deepEqual(received?.taken, [token], `${vendor} took it: ${received?.answer?.body}`)
  return received.fields
}

/** A field of a vendor's object stands where the vendor wants it, and is not there without it. */
export const arrives = async (world: VendorWorld, vendor: VendorName, object: string, field: string, { value, way, arrives: expected, beside }: OnWire): Promise<void> => {
  const message = { title: 'hello', body: 'hello' }
  const fields = await sentTo(world, vendor, { ...message, [object]: { ...beside, [field]: value } })
  assert.deepEqual(at(fields, way), expected)
  const standard = field === 'click_action' || expected === undefined // opening the app is what happens anyhow
  if (!standard) assert.notDeepEqual(at(await sentTo(world, vendor, message), way), expected)
}
