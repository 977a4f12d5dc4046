import { reasonSentences } from '@carillon/protocol/sentences/reasons.ts'
import { dictionary } from '../words/dictionary.ts'
import { quoting } from '../words/quoting.ts'

/** Why a delivery did not go, waits, or was not taken; and why a lane takes nothing. */
export const reasonWords = dictionary({
  en: reasonSentences,
  zh: {
    logged_out: () => '设备已退出登录',
    push_off: () => '用户已关闭推送',
    no_vendor: () => '没有能触达该设备的厂商通道',
    no_vendor_left: () => '没有其他厂商通道可以尝试',
    now_or_never: () => '设备不在线，而该消息仅此刻有效，过时不候',
    quiet_hours: () => '处于用户的免打扰时段',
    quiet_too_long: () => '在用户的免打扰时段结束之前就会过期',
    no_channel: () => '没有可用的通道',
    until_later: () => '稍后发送',
    no_certificate: () => '应用没有设置该厂商的证书',
    no_vendor_token: () => '设备已没有该厂商的令牌',
    not_here: ({ channel }) => `本节点没有 ${channel} 通道`,
    shown_later: () => '尚未到展示时间；该厂商不支持定时展示，届时再发送',
    resting: () => '厂商要求暂时不要向该设备发送',
    no_time: () => '本轮来不及发送',
    unforeseen: () => '发生了意料之外的错误',
    node_ended: () => '发送过程中节点已停止',
    unmentioned: () => '通道没有给出结果',
    no_access_token: ({ said }) => quoting('未能取得访问令牌', said),
    unreached: ({ said }) => quoting('无法连接厂商', said),
    unanswered: ({ said }) => quoting('没有收到厂商的完整应答', said),
    gone: ({ said }) => quoting('厂商表示该地址已失效', said),
    refused: ({ said }) => quoting('厂商拒收', said),
    denied: ({ said }) => quoting('厂商不接受我们的凭据', said),
    limited: ({ said }) => quoting('厂商限流', said),
    exhausted: ({ said }) => quoting('当日配额已用完', said),
    down: ({ said }) => quoting('厂商服务异常', said),
    unknown: ({ said }) => quoting('厂商的应答无法识别', said),
  },
})
