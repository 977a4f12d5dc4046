import { Type } from 'typebox'
import { category, defineVendor, label, word } from './vendor.ts'

const code = { pattern: '^[0-9A-Fa-f-]{32,36}$', words: '32 to 36 hexadecimal digits and dashes' }

export default defineVendor({
  name: 'vivo',
  title: 'vivo Push',
  credentials: Type.Object({
    app_id: word({
      title: 'AppID',
      description: 'The AppID of the app; it travels as a number.',
      pattern: '^[1-9][0-9]{0,14}$',
      must: 'be a number written in digits',
      usual: { pattern: '^[0-9]{6,9}$', words: '6 to 9 digits' },
    }),
    app_key: word({ title: 'AppKey', description: 'The AppKey of the app.', usual: code }),
    app_secret: word({ title: 'AppSecret', description: 'The AppSecret; it signs and is never sent.', usual: code }),
    name: label,
  }),
  options: Type.Object({
    receipt_id: Type.Optional(
      word({ title: 'Receipt ID', description: 'The id that vivo gives a receipt address set up in its console.' }),
    ),
    system_category: category(['IM', 'ACCOUNT', 'TODO', 'DEVICE_REMINDER', 'ORDER', 'SUBSCRIPTION'], {
      title: 'Category of system messages',
      description: 'The second-level class sent with classification 1.',
    }),
    operational_category: category(['NEWS', 'CONTENT', 'MARKETING', 'SOCIAL'], {
      title: 'Category of operational messages',
      description: 'The second-level class sent with classification 0.',
    }),
  }),
})
