import { dictionary } from '../words/dictionary.ts'

/** Who sent a task or did what the audit log tells of. */
export const whoWords = dictionary({
  en: {
    app: 'the app',
    user: (id: string) => `user ${id}`,
    group: (id: string) => `group ${id}`,
    adminToken: (id: string, name: string) => `admin token ${id}${name && ` (${name})`}`,
    commandLine: 'command line',
  },
  zh: {
    app: '应用',
    user: (id) => `用户 ${id}`,
    group: (id) => `群组 ${id}`,
    adminToken: (id, name) => `管理员令牌 ${id}${name && `（${name}）`}`,
    commandLine: '命令行',
  },
})
