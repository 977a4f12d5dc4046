import { answerSentences } from '@carillon/protocol/sentences/events.ts'
import { dictionary } from '../../words/dictionary.ts'

/** What the last attempt to tell of an event met. */
export const answerWords = dictionary({
  en: answerSentences,
  zh: {
    no_answer: ({ seconds }) => `${seconds} 秒内没有应答`,
    removed: () => 'Webhook 已移除',
    said: ({ said }) => said,
  },
})
