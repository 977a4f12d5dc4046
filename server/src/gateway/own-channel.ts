import { ownChannel as name } from '@carillon/protocol/names.ts'
import type { Channel } from '../push/channel.ts'
import { PageWriter } from './page-writer.ts'
import type { Sessions } from './sessions.ts'

// The devices of one person, or of a few, wait for no turn.
const AT_ONCE = 16

/** The road through our own gateway, as the push path sees it. */
export const ownChannel = (sessions: Sessions): Channel => {
  const pages = new PageWriter(sessions)
  return {
    name,
    hand: async (push, { batchId }, targets) =>
      targets.length <= AT_ONCE ? sessions.hand(push, batchId, targets) : pages.write(push, batchId, targets),
  }
}
