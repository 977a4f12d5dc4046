import { type ErrorName, errors } from '@carillon/protocol/errors.ts'
import { dictionary } from '../words/dictionary.ts'

const says = Object.fromEntries(Object.entries(errors).map(([name, error]) => [name, error.says])) as Record<ErrorName, string>

/** Why a call was refused, by its code. */
export const errorWords = dictionary({
  en: says,
  zh: {
    badParameter: '参数有误',
    tokenMissing: '缺少访问令牌',
    tokenInvalid: '访问令牌无效或已被吊销',
    tokenExpired: '访问令牌已过期，请重新登录',
    wrongPassword: '用户名或密码错误',
    notAllowed: '没有此操作的权限',
    userExists: '用户已存在',
    userUnknown: '用户不存在',
    imageTooLarge: '附件图片必须小于 1 MB',
    listTooLong: '列表不能超过 500 项',
    pushSwitchedOff: '该应用的推送已关闭',
    certificateUnknown: '没有这份证书',
    notFound: '没有这个任务或设备',
    groupUnknown: '群组不存在',
    appUnknown: '应用不存在',
    pathUnknown: '没有这个路径',
    methodUnknown: '此路径不支持该请求方法',
    bodyTooLarge: '请求内容超过大小限制',
    notJson: '内容类型不是 application/json',
    tooMany: '请求过于频繁，请稍后再试',
    fault: '服务器内部错误',
    cannotStore: '暂时无法存储：此次请求未被接收',
  },
})
