import { stepSentences } from '@carillon/protocol/sentences/steps.ts'
import { dictionary } from '../../words/dictionary.ts'

/** What can have happened on the way to one device. */
export const stepWords = dictionary({
  en: {
    ...stepSentences,
    because: (why: string) => `: ${why}`,
    /** Of a step that names the kind of answer already. `words`: what it means, in English. */
    answered: ({ words }: { words: string; said: string }) => words,
  },
  zh: {
    accepted: '任务已被接收',
    to_be_planned: '届时开始计算受众',
    not_in_audience: '计算受众时，该设备不在其中',
    not_reached_yet: '受众计算尚未到达该设备',
    not_sent: '未发送',
    held: '暂缓发送',
    chosen: '被选为通道',
    sent: '已交付',
    received: '已确认收到',
    shown: '设备已展示',
    dismissed: '用户已划掉',
    clicked: '用户已点击',
    away: '设备不在线，或未及时确认',
    queued: '设备正忙，稍后从收件箱领取',
    later: '暂未被接受',
    gone: '厂商表示该地址已失效',
    refused: '被拒绝',
    denied: '我们的凭据未被接受',
    lost: '应答丢失：可能已被接收，将再次发送',
    unknown: '结果不明',
    due: '届时发送',
    awaited: '等待确认，直到此时',
    in_inbox: '在收件箱中等待设备连接',
    moved_on: '转到下一个通道',
    ended: '到此结束：没有通道可以承载',
    ended_gone: '到此结束：厂商表示该地址已失效',
    expired: '已过期',
    withdrawn: '已取消',
    overflow: '收件箱已满，被较新的推送挤出',
    replaced: '被相同 collapse_id 的较新推送取代',
    dry_run: '试运行：本应从这里发送',
    cancelled: '任务已被取消',
    because: (why) => `：${why}`,
    answered: ({ said }) => (said === '' ? '厂商未说明原因' : `厂商返回 ${said}`),
  },
})
