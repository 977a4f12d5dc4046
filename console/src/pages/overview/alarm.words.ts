import { alarmSentences } from '@carillon/protocol/sentences/alarms.ts'
import { dictionary } from '../../words/dictionary.ts'

/** What is wrong, under the title of the alarm. */
export const alarmWords = dictionary({
  en: alarmSentences,
  zh: {
    push_off: () => '该应用的推送已关闭：notify 会被拒绝',
    certificate_expired: ({ name, day }) => `证书 ${name} 已于 ${day} 到期`,
    certificate_expiring: ({ name, day }) => `证书 ${name} 将于 ${day} 到期`,
    tokens_dying: () => '一分钟内超过五分之一的应答称令牌失效：很可能是证书或其环境有误',
    lane_paused: () => '目前不接受任何推送',
    webhook_failing: ({ answer, seconds, given_up }) =>
      `Webhook 没有接收事件（${seconds > 0 ? `${seconds} 秒内没有应答` : answer}）${given_up > 0 ? `；已放弃 ${given_up} 个` : ''}`,
    bus_down: () => '节点之间无法通信：推送会慢一秒左右',
  },
})
