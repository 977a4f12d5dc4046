import { triedSentences } from '@carillon/protocol/sentences/tried.ts'
import { dictionary } from '../../words/dictionary.ts'
import { quoting } from '../../words/quoting.ts'

/** What a vendor thinks of an app's credentials. Which vendor stands above it. */
export const triedWords = dictionary({
  en: triedSentences,
  zh: {
    accepted: () => '厂商接受这些凭据。',
    token_given: () => '厂商接受这些凭据，并发放了访问令牌。',
    accepted_but_full: ({ said }) => quoting('厂商接受这些凭据，但目前不再接收更多推送', said),
    not_accepted: ({ said }) => quoting('厂商不接受这些凭据', said),
    not_reached: ({ said }) => quoting('无法连接厂商', said),
    not_asked: ({ said }) => quoting('目前无法向厂商确认', said),
    not_understood: ({ said }) => quoting('厂商的应答无法识别', said),
  },
})
