import { Type } from 'typebox'
import { choice, defineVendor, label, word } from './vendor.ts'

export default defineVendor({
  name: 'honor',
  title: 'Honor Push',
  credentials: Type.Object({
    app_id: word({
      title: 'App ID',
      description: 'The App ID on the push service page; it is part of the address messages are sent to.',
      usual: { pattern: '^[0-9]+$', words: 'digits' },
    }),
    app_key: word({ title: 'Client ID', description: 'The Client ID on the same page; it differs from the App ID.' }),
    app_secret: word({ title: 'Client Secret', description: 'The Client Secret; the App Secret does not work here.' }),
    name: label,
  }),
  options: Type.Object({
    importance: choice(['LOW', 'NORMAL'], {
      title: 'Importance',
      description: 'LOW marks marketing. NORMAL marks service and communication, a right that Honor grants.',
    }),
    target_user_type: choice([0, 1], {
      title: 'Target user type',
      description: '1 sends test messages, which have a small daily allowance of their own; 0 real ones.',
    }),
  }),

  check({ app_id, app_key }) {
    return app_id !== '' && app_id === app_key
      ? { warnings: ['app_key is the same as app_id: Honor shows the Client ID as a value of its own'] }
      : {}
  },
})
