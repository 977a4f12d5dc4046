import { setImmediate } from 'node:timers/promises'
import { ownChannel as name } from '@carillon/protocol/names.ts'
import type { Channel, Outcome } from '../push/channel.ts'
import type { Sessions } from './sessions.ts'

// Some 5 ms of writing: between turns, acknowledgements and everybody else's calls are read.
const WRITES_A_TURN = 250

/** The road through our own gateway, as the push path sees it. */
export const ownChannel = (sessions: Sessions): Channel => ({
  name,
  hand: async (push, { batchId }, targets) => {
    if (targets.length <= WRITES_A_TURN) return sessions.hand(push, batchId, targets)
    const outcomes: Outcome[] = []
    for (let at = 0; at < targets.length; at += WRITES_A_TURN) {
      if (at > 0) await setImmediate()
      outcomes.push(...sessions.hand(push, batchId, targets.slice(at, at + WRITES_A_TURN)))
    }
    return outcomes
  },
})
