import { warningSentences } from '@carillon/protocol/sentences/warnings.ts'
import { dictionary } from '../../words/dictionary.ts'

/** What is unusual about a certificate that was stored. */
export const warningWords = dictionary({
  en: warningSentences,
  zh: {
    unusual: ({ field, title }) => `${field} 的格式与“${title}”通常的格式不同`,
    unused: ({ field }) => `该厂商不使用 ${field}`,
    unknown_options: ({ options, known }) => `选项中的 ${options} 不会被使用（可用选项：${known}）`,
    pasted_twice: ({ field }) => `${field} 与另一项相同：可能重复粘贴了`,
    needless: ({ field }) => `在这种情况下不使用 ${field}`,
    odd: ({ field }) => `${field} 的内容与通常不同，请核对`,
    differs: ({ field, other }) => `${field} 与 ${other} 不一致`,
    equals: ({ field, other }) => `${field} 与 ${other} 相同，请核对`,
    only_with: ({ field, other }) => `${field} 须与 ${other} 同时设置才有效`,
    lacks: ({ field, part }) => `${field} 中没有 ${part}`,
    ends_soon: ({ field, day }) => `${field} 即将到期：${day}`,
    begins_later: ({ field, day }) => `${field} 在 ${day} 之前尚未生效`,
  },
})
