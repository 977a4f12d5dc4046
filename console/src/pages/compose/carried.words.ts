import { droppedSentences, uncarriedSentences } from '@carillon/protocol/sentences/carried.ts'
import { dictionary } from '../../words/dictionary.ts'

/** Why a channel does not carry a message. Which channel stands above it. */
export const uncarriedWords = dictionary({
  en: uncarriedSentences,
  zh: {
    shows_nothing: () => '该厂商无法传递不展示内容的消息',
    shows_nothing_unless: ({ option }) => `该厂商无法传递不展示内容的消息；可用证书选项 ${option} 尝试发送`,
    too_large: ({ size, most }) => `大小为 ${size}，超过该厂商的上限 ${most}`,
  },
})

/** What becomes of a field that is not shown. */
export const droppedWords = dictionary({
  en: droppedSentences,
  zh: {
    data_only: () => '不展示，作为数据交给应用',
    big_text_instead: () => '由长文本（big_text）代替展示',
    no_place: () => '该厂商不支持此项',
    needs: ({ field }) => `需要同时填写 ${field}`,
    no_room: () => '空间不足，放不下此项',
  },
})
