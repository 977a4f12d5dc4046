import { Type } from 'typebox'
import { choice, defineVendor, flag, label, word } from './vendor.ts'

export default defineVendor({
  name: 'flyme',
  title: 'Meizu Flyme Push',
  credentials: Type.Object({
    app_id: word({
      title: 'AppId',
      description: 'The AppId of the app in the Flyme push console.',
      usual: { pattern: '^[0-9]+$', words: 'digits' },
    }),
    app_key: Type.Optional(
      word({ title: 'AppKey', description: "Not needed to send; devices start Meizu's SDK with it." }),
    ),
    app_secret: word({
      title: 'AppSecret',
      description: 'The AppSecret of the app; it signs and is never sent.',
      usual: { pattern: '^[0-9A-Fa-f]{32}$', words: '32 hexadecimal digits' },
    }),
    name: label,
  }),
  options: Type.Object({
    region: choice(['china', 'overseas'], {
      title: 'Region',
      description: 'Where the devices are registered; china by default.',
    }),
    notice_msg_type: choice([0, 1], {
      title: 'Message class',
      description: '0 public, with a small daily number a device; 1 private, for messages meant for one person.',
    }),
    receipt_access_token: Type.Optional(
      word({ title: 'Receipt access token', description: 'As set in receipt management; receipts must show it.' }),
    ),
    pass_through: flag({
      title: 'Try pass-through',
      description: 'Hands cmd messages to Meizu too, although it lists pass-through as disabled.',
    }),
  }),
})
