import { refusalSentences } from '@carillon/protocol/sentences/refusals.ts'
import { dictionary } from '../words/dictionary.ts'

/** Why a call was refused, where that says more than its code. */
export const refusalWords = dictionary({
  en: refusalSentences,
  zh: {
    no_device: () => '没有这台设备',
    no_task: () => '没有这个任务',
    no_token: () => '没有这个令牌',
    no_webhook: () => '尚未设置 Webhook',
    user_disabled: () => '该用户已被停用',
    aliases_by_admin: () => '此应用的别名只能由管理员令牌设置',
    fault: ({ id }) => `服务器内部错误，日志编号 ${id}`,
    taken: ({ field }) => `${field} 已被占用`,
  },
})
