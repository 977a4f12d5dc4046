import type { Static } from 'typebox'
import { messageTypes, sequenceItems, spokenName, strategies } from './names.ts'
import { Type } from './type.ts'
import { ClosedObject, described, FreeObject, FreeText, Int, Int64, List, Name, OneOf, Text, UnixSeconds } from './types.ts'

/** Who should get it, as a question; an object asks by exactly one of its keys. */
export const Audience = Type.Union([
  Type.Literal('all'),
  ClosedObject(
    {
      tag: Type.Optional(described(List(Name), 'Devices with any of these tags.')),
      alias: Type.Optional(described(List(Name), 'Devices with any of these aliases.')),
      user_id: Type.Optional(described(List(Int64()), 'Devices of any of these users.')),
      push_token: Type.Optional(described(List(Text(512)), 'Devices with any of these push tokens.')),
    },
    { minProperties: 1, maxProperties: 1 },
  ),
], { description: '`all`, or an object with exactly one of its keys. It means the devices in the scope of the call.' })
export type Audience = Static<typeof Audience>

/** How to send it. */
export const Setting = Type.Object({
  request_id: Type.Optional(
    described(Name, 'Deduplication: the same one again answers with the first task and pushes nothing, however late.'),
  ),
  distribution_strategy: Type.Optional(
    OneOf(strategies, {
      description:
        'combined, the standard: the own channel, and the vendors if the device is away or does not acknowledge. ' +
        'nativepush_only: the own channel, with an inbox. ospush_only: the vendors.',
    }),
  ),
  ospush_sequence: Type.Optional(
    described(
      List(OneOf(Object.keys(sequenceItems))),
      `Vendors in the order to try; blank means ups, then fcm. ups stands for ${sequenceItems.ups!.map(spokenName).join(', ')}.`,
    ),
  ),
  time_to_live: Type.Optional(
    Int(0, 2_592_000, { description: 'Seconds until it expires; 0 means now or never; blank means one day.' }),
  ),
  send_time: Type.Optional(UnixSeconds({ description: 'Unix seconds; the task waits until then.' })),
  priority: Type.Optional(OneOf(['normal', 'high'], { description: 'high passes quiet hours.' })),
  collapse_id: Type.Optional(FreeText({ maxBytes: 64, description: 'A newer push with it replaces what has not been shown.' })),
  dry_run: Type.Optional(Type.Boolean({ description: 'Plan and count, send nothing.' })),
}, { title: 'Setting' })
export type Setting = Static<typeof Setting>

export const IosOptions = Type.Object({
  sound: Type.Optional(FreeText({ description: 'The alert sound.' })),
  content_available: Type.Optional(Type.Boolean({ description: "APNs' content-available: wakes the app." })),
  mutable_content: Type.Optional(Type.Boolean({ description: "APNs' mutable-content: the app may change it." })),
  category: Type.Optional(FreeText({ description: "APNs' category: which buttons it has." })),
  thread_id: Type.Optional(FreeText({ description: "APNs' thread-id: notifications with the same one stand together." })),
  subtitle: Type.Optional(FreeText({ description: 'A line under the title.' })),
  apns_collapse_id: Type.Optional(
    FreeText({ maxBytes: 64, description: 'Replaces earlier ones with the same id in the notification centre.' }),
  ),
}, { title: 'IosOptions' })
export type IosOptions = Static<typeof IosOptions>

const androidFields = {
  sound: Type.Optional(FreeText({ description: 'The alert sound.' })),
  channel_id: Type.Optional(FreeText({ description: 'The bar channel.' })),
  click_action: Type.Optional(OneOf(['intent', 'open_app'], { description: 'Open one page, or the app.' })),
  intent: Type.Optional(
    FreeText({
      description:
        'The page to open, required when click_action is intent: `intent:…#Intent;component=package/activity;S.key=value;end`.',
    }),
  ),
}
export const AndroidOptions = Type.Object(androidFields, { title: 'AndroidOptions' })
export type AndroidOptions = Static<typeof AndroidOptions>

const BadgedOptions = Type.Object({
  ...androidFields,
  badge_class: Type.Optional(FreeText({ description: 'The entry activity of the desktop icon.' })),
}, { title: 'BadgedOptions' })

const VivoOptions = Type.Object({
  ...androidFields,
  push_mode: Type.Optional(OneOf([0, 1], { description: '0 production, the standard; 1 testing.' })),
  classification: Type.Optional(OneOf([0, 1], { description: '0 operational message, the standard; 1 system message.' })),
}, { title: 'VivoOptions' })

/** What the person sees, plus data. */
export const Message = Type.Object({
  type: Type.Optional(
    OneOf(messageTypes, { description: 'text, the standard; image, with attachment_url; cmd, which reaches the app and shows nothing.' }),
  ),
  title: Type.Optional(FreeText()),
  body: Type.Optional(FreeText()),
  big_text: Type.Optional(FreeText({ description: 'In place of body, where a vendor can show long text.' })),
  attachment_url: Type.Optional(
    Text(2048, {
      format: 'web-address',
      description: 'An image (.jpg, .jpeg or .png, under 1 MB, 876 × 324 pixels recommended), audio or video.',
    }),
  ),
  badge: Type.Optional(FreeText({ format: 'badge', description: '"3" sets it, "+3" adds to it; blank means "+1", and nothing for cmd.' })),
  ext: Type.Optional(FreeObject({ description: 'Reaches the device as it was written.' })),
  show_begin_time: Type.Optional(UnixSeconds({ description: 'Unix seconds: not shown before.' })),
  show_end_time: Type.Optional(UnixSeconds({ description: 'Unix seconds: not shown after.' })),
  ios: Type.Optional(described(IosOptions, 'For iOS.')),
  android: Type.Optional(described(AndroidOptions, "For Android, whichever vendor carries it; the vendor's own object goes first.")),
  huawei: Type.Optional(described(BadgedOptions, 'For Huawei alone.')),
  honor: Type.Optional(described(BadgedOptions, 'For Honor alone.')),
  vivo: Type.Optional(described(VivoOptions, 'For vivo alone.')),
  xiaomi: Type.Optional(described(AndroidOptions, 'For Xiaomi alone.')),
  oppo: Type.Optional(described(AndroidOptions, 'For OPPO alone.')),
  flyme: Type.Optional(described(AndroidOptions, 'For Meizu alone.')),
  fcm: Type.Optional(described(AndroidOptions, 'For FCM alone.')),
}, {
  title: 'Message',
  description:
    'What the person sees, plus data: at most 64 KiB of JSON, 32 levels deep. It holds at least one of title, body, ' +
    'big_text, attachment_url, ext, badge and ios.content_available.',
})
export type Message = Static<typeof Message>

/** Whom a notification would reach. */
export const Count = Type.Object({
  audience: Audience,
  message: Type.Optional(described(Message, 'Its type, times and priority decide the ways it can go; blank means any text.')),
  setting: Type.Optional(described(Setting, 'How to send it. request_id and dry_run change nothing here.')),
}, { title: 'Count' })
export type Count = Static<typeof Count>

/** What each channel would carry of a message. */
export const Preflight = Type.Object({
  message: Type.Optional(described(Message, 'Blank means one without anything.')),
  setting: Type.Optional(described(Setting, 'How to send it. request_id and dry_run change nothing here.')),
}, { title: 'Preflight' })
export type Preflight = Static<typeof Preflight>

export const Notify = Type.Object({
  audience: Audience,
  message: Message,
  setting: Type.Optional(described(Setting, 'How to send it.')),
}, { title: 'Notify' })
export type Notify = Static<typeof Notify>
