import { Type } from 'typebox'
import { defaultChannel, defineVendor, flag, word } from './vendor.ts'

const digits = { pattern: '^[0-9]+$', words: 'digits' }

export default defineVendor({
  name: 'xiaomi',
  title: 'Xiaomi Mi Push',
  credentials: Type.Object({
    app_id: Type.Optional(
      word({ title: 'AppId', description: "Not needed to send; devices start Xiaomi's SDK with it.", usual: digits }),
    ),
    app_key: Type.Optional(
      word({ title: 'AppKey', description: "Not needed to send; devices start Xiaomi's SDK with it.", usual: digits }),
    ),
    app_secret: word({
      title: 'AppSecret',
      description: 'The AppSecret on the page of the app; every request shows it.',
      usual: {
        pattern: '^(?=.*[A-Za-z])[A-Za-z0-9+/]{16,64}={0,2}$',
        words: 'letters and digits, often ending in == (digits alone are the AppId or the AppKey)',
      },
    }),
    name: word({
      title: 'Package name',
      description: 'The Android package name, to which Xiaomi delivers. A device may bind its vendor token by it.',
      pattern: '^[\\x21-\\x7e]{1,128}$',
      must: 'be at most 128 visible ASCII characters without spaces',
      usual: { pattern: '^[A-Za-z]\\w*(\\.[A-Za-z]\\w*)+$', words: 'an Android package name such as com.example.app' },
    }),
  }),
  options: Type.Object({
    default_channel_id: defaultChannel,
    template_id: Type.Optional(
      word({ title: 'Template ID', description: 'The approved template of private-class messages.' }),
    ),
    pass_through: flag({
      title: 'Try pass-through',
      description: 'Hands cmd messages to Xiaomi too, although it announced the end of pass-through.',
    }),
  }),
})
