import type { Counted } from '@carillon/protocol/push-answers.ts'

/** How many get it: now, after their quiet hours, or when they come back. */
export const reachOf = ({ channels, inbox, held }: Counted): number =>
  Object.values(channels).reduce((sum, number) => sum + number, inbox + held)
