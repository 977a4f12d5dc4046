import { Type, type Static } from 'typebox'
import { messageTypes, sequenceItems, strategies } from './names.ts'
import { ClosedObject, FreeObject, FreeText, Int, Int64, List, Name, OneOf, Text, UnixSeconds } from './types.ts'

/** Who should get it, as a question; an object asks by exactly one of its keys. */
export const Audience = Type.Union([
  Type.Literal('all'),
  ClosedObject({
    tag: Type.Optional(List(Name)),
    alias: Type.Optional(List(Name)),
    user_id: Type.Optional(List(Int64())),
    push_token: Type.Optional(List(Text(512))),
  }),
])
export type Audience = Static<typeof Audience>

/** How to send it. */
export const Setting = Type.Object({
  request_id: Type.Optional(Name),
  distribution_strategy: Type.Optional(OneOf(strategies)),
  ospush_sequence: Type.Optional(List(OneOf(Object.keys(sequenceItems)))),
  time_to_live: Type.Optional(
    Int(0, 2_592_000, { description: 'seconds; 0 means now or never; blank means one day' }),
  ),
  send_time: Type.Optional(UnixSeconds({ description: 'the task waits until then' })),
  priority: Type.Optional(OneOf(['normal', 'high'])),
  collapse_id: Type.Optional(FreeText({ maxBytes: 64, description: 'a newer one replaces what has not been shown' })),
  dry_run: Type.Optional(Type.Boolean({ description: 'plan and count, send nothing' })),
})
export type Setting = Static<typeof Setting>

export const IosOptions = Type.Object({
  sound: Type.Optional(FreeText()),
  content_available: Type.Optional(Type.Boolean()),
  mutable_content: Type.Optional(Type.Boolean()),
  category: Type.Optional(FreeText()),
  thread_id: Type.Optional(FreeText()),
  subtitle: Type.Optional(FreeText()),
  apns_collapse_id: Type.Optional(FreeText({ maxBytes: 64 })),
})
export type IosOptions = Static<typeof IosOptions>

const androidFields = {
  sound: Type.Optional(FreeText()),
  channel_id: Type.Optional(FreeText({ description: 'the bar channel' })),
  click_action: Type.Optional(OneOf(['intent', 'open_app'])),
  intent: Type.Optional(FreeText({ description: 'the page to open when click_action is intent' })),
}
export const AndroidOptions = Type.Object(androidFields)
export type AndroidOptions = Static<typeof AndroidOptions>

const BadgedOptions = Type.Object({
  ...androidFields,
  badge_class: Type.Optional(FreeText({ description: 'entry activity of the desktop icon' })),
})

const VivoOptions = Type.Object({
  ...androidFields,
  push_mode: Type.Optional(OneOf([0, 1])),
  classification: Type.Optional(OneOf([0, 1])),
})

/** What the person sees, plus data. */
export const Message = Type.Object({
  type: Type.Optional(OneOf(messageTypes)),
  title: Type.Optional(FreeText()),
  body: Type.Optional(FreeText()),
  big_text: Type.Optional(FreeText()),
  attachment_url: Type.Optional(Text(2048, { format: 'web-address' })),
  badge: Type.Optional(FreeText({ format: 'badge', description: '"3" sets it, "+3" adds to it; blank means "+1"' })),
  ext: Type.Optional(FreeObject({ description: 'reaches the device as it was written' })),
  show_begin_time: Type.Optional(UnixSeconds()),
  show_end_time: Type.Optional(UnixSeconds()),
  ios: Type.Optional(IosOptions),
  android: Type.Optional(AndroidOptions),
  huawei: Type.Optional(BadgedOptions),
  honor: Type.Optional(BadgedOptions),
  vivo: Type.Optional(VivoOptions),
  xiaomi: Type.Optional(AndroidOptions),
  oppo: Type.Optional(AndroidOptions),
  flyme: Type.Optional(AndroidOptions),
  fcm: Type.Optional(AndroidOptions),
})
export type Message = Static<typeof Message>

export const Notify = Type.Object({
  audience: Audience,
  message: Message,
  setting: Type.Optional(Setting),
})
export type Notify = Static<typeof Notify>
