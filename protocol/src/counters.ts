import { channels, type ChannelName } from './names.ts'

/** What one channel did for one task: target ≥ sent ≥ received, none of them ever falls. */
export interface Tally {
  target: number
  sent: number
  received: number
}

export type CounterName = `${ChannelName}_${keyof Tally}`

/** One task's statistics: its id and three counters a channel, always all of them. */
export type Counters = { task_id: number } & Record<CounterName, number>

/** One channel's part of a task's statistics. */
export const tallyOf = (counters: Counters, channel: ChannelName): Tally => ({
  target: counters[`${channel}_target`],
  sent: counters[`${channel}_sent`],
  received: counters[`${channel}_received`],
})

const zeros = Object.fromEntries(
  channels.flatMap((channel) => [
    [`${channel}_target`, 0],
    [`${channel}_sent`, 0],
    [`${channel}_received`, 0],
  ]),
) as Record<CounterName, number>

export const emptyCounters = (task_id: number): Counters => ({ task_id, ...zeros })
