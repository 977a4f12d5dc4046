import { dictionary } from '../words/dictionary.ts'

/** Where a delivery stands. */
export const fateWords = dictionary({
  en: {
    received: 'Received',
    sent: 'Sent',
    done: 'Done',
    pending: 'Under way',
    waiting: 'Waiting in the inbox',
    moved: 'Moved to another channel',
    refused: 'Refused',
    dead: 'Token dead',
    expired: 'Expired',
    cancelled: 'Cancelled',
    overflow: 'Gave way: inbox full',
    replaced: 'Replaced by a newer one',
    planned: 'Dry run',
    untargeted: 'No channel',
  },
  zh: {
    received: '已送达',
    sent: '已发送',
    done: '已完成',
    pending: '进行中',
    waiting: '在收件箱中等待',
    moved: '已转到其他通道',
    refused: '被拒绝',
    dead: '令牌失效',
    expired: '已过期',
    cancelled: '已取消',
    overflow: '收件箱已满而让出',
    replaced: '被更新的一条取代',
    planned: '试运行',
    untargeted: '无可用通道',
  },
})
