import { ownChannel as name } from '@carillon/protocol/names.ts'
import type { Channel } from '../push/channel.ts'
import type { Sessions } from './sessions.ts'

/** The road through our own gateway, as the push path sees it. It carries every type of message. */
export const ownChannel = (sessions: Sessions): Channel => ({
  name,
  carries: () => true,
  hand: async (push, batchId, targets) => sessions.hand(push, batchId, targets),
})
