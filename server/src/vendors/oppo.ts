import { Type } from 'typebox'
import { category, choice, defaultChannel, defineVendor, label, word } from './vendor.ts'

const SERVICE = ['IM', 'ACCOUNT', 'TODO', 'DEVICE_REMINDER', 'ORDER', 'SUBSCRIPTION']
const CLASSES = [...SERVICE, 'NEWS', 'CONTENT', 'MARKETING', 'SOCIAL']

export default defineVendor({
  name: 'oppo',
  title: 'OPPO Push',
  credentials: Type.Object({
    app_id: Type.Optional(
      word({ title: 'AppId', description: 'Not needed to send; when given, receipts are held against it.' }),
    ),
    app_key: word({ title: 'AppKey', description: 'The AppKey on the configuration page of the app.' }),
    app_secret: word({
      title: 'MasterSecret',
      description: 'The MasterSecret. The AppSecret beside it looks alike and does not work on a server.',
      usual: { pattern: '^[0-9A-Fa-f]{32}$', words: '32 hexadecimal digits' },
    }),
    name: label,
  }),
  options: Type.Object({
    default_channel_id: defaultChannel,
    default_category: category(CLASSES, {
      title: 'Category',
      description: 'The class messages are sent under; the service classes need a right that OPPO grants.',
    }),
    notify_level: choice([1, 2, 16], {
      title: 'Notify level',
      description: '1 shade; 2 also lock screen; 16 also banner, vibration and sound, by a right that OPPO grants.',
    }),
    private_template_id: Type.Optional(
      word({ title: 'Private template ID', description: 'The approved template that classes such as IM ask for.' }),
    ),
    china_host: choice(['api.push.oppomobile.com', 'api-push-cn.heytapmobi.com'], {
      title: 'Host for mainland China',
      description: 'The first one by default. Devices elsewhere are told by their registration id and need no setting.',
    }),
  }),

  check({ options }) {
    return 'notify_level' in options && !('default_category' in options)
      ? { warnings: ['options.notify_level works only together with options.default_category'] }
      : {}
  },
})
