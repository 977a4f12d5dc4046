import { Type } from 'typebox'
import { category, choice, defaultChannel, defineVendor, label, word } from './vendor.ts'

const CLASSES = [
  'IM', 'VOIP', 'SUBSCRIPTION', 'TRAVEL', 'HEALTH', 'WORK', 'ACCOUNT', 'EXPRESS', 'FINANCE', 'DEVICE_REMINDER', 'MAIL',
  'PLAY_VOICE', 'MARKETING',
]

const digits = { pattern: '^[0-9]{1,64}$', must: 'be digits only' }

export default defineVendor({
  name: 'huawei',
  title: 'Huawei Push Kit',
  credentials: Type.Object({
    app_id: word({
      title: 'OAuth 2.0 client ID',
      description: 'The OAuth 2.0 client ID of the app in AppGallery Connect; older pages call it App ID.',
      ...digits,
    }),
    app_key: Type.Optional(
      word({
        title: 'Project ID',
        description: 'Sends on the level of the project instead of the app. Leave blank if unsure.',
        ...digits,
      }),
    ),
    app_secret: word({
      title: 'OAuth 2.0 client secret',
      description: 'The secret beside the client ID; older pages call it App Secret.',
      usual: { pattern: '^[0-9A-Fa-f]{32,64}$', words: '32 to 64 hexadecimal digits' },
    }),
    name: label,
  }),
  options: Type.Object({
    receipt_user: Type.Optional(
      word({ title: 'Callback user name', description: 'Set beside the receipt address; proves receipts.' }),
    ),
    receipt_key: Type.Optional(
      word({ title: 'Callback key', description: 'Set beside the receipt address; proves receipts.' }),
    ),
    receipt_id: Type.Optional(
      word({ title: 'Receipt ID', description: 'Picks one of the receipt addresses set up in AppGallery Connect.' }),
    ),
    default_category: category(CLASSES, {
      title: 'Category',
      description: 'The class messages are sent under. Counts only once Huawei has granted self-classification.',
    }),
    default_channel_id: defaultChannel,
    importance: choice(['LOW', 'NORMAL'], {
      title: 'Importance',
      description: 'How prominently notifications are shown.',
    }),
    target_user_type: choice([0, 1], {
      title: 'Target user type',
      description: '1 sends test messages, which have a small daily allowance of their own; 0 real ones.',
    }),
  }),

  check({ options }) {
    return 'receipt_user' in options === 'receipt_key' in options
      ? {}
      : { warnings: ['options.receipt_user and options.receipt_key work only together: receipts would go unproved'] }
  },
})
