import { styleText } from 'node:util'
import { channels, ownChannel, type ChannelName } from '@carillon/protocol/names.ts'
import type { Totals } from './totals.ts'

/** What the server says of one way to a vendor. */
export interface LaneSeen {
  state: 'open' | 'paused' | 'trying'
  why: string | null
  /** Unix milliseconds. */
  until: number | null
  tokens_dying_since: number | null
}

/** Everything there is to see at one moment. */
export interface Scene {
  totals: Totals
  /** How many devices each channel reaches. */
  devices: Readonly<Record<ChannelName, number>>
  connected: number
  lanes: ReadonlyMap<ChannelName, LaneSeen>
  /** Unix milliseconds. */
  now: number
}

type Style = Parameters<typeof styleText>[0]
/** Plain where the output is no terminal, or colours are not wanted. */
export const styled = (style: Style, text: string): string => styleText(style, text, { stream: process.stdout, validateStream: true })

export const spelt = (count: number): string => count.toLocaleString('en')

const HISTORY = 20
const levels = '▁▂▃▄▅▆▇█'

/** One column a second, the highest of this channel as high as can be. */
const spark = (history: readonly number[]): string => {
  const most = Math.max(1, ...history)
  const level = (count: number): string => (count === 0 ? ' ' : levels[Math.ceil((count / most) * levels.length) - 1]!)
  return history.slice(-HISTORY).map(level).join('').padStart(HISTORY)
}

const laneOf = (channel: ChannelName, { lanes, connected, now }: Scene): [words: string, style: Style] => {
  if (channel === ownChannel) return [`${spelt(connected)} connected`, 'green']
  const lane = lanes.get(channel)
  if (!lane) return ['not used yet', 'dim']
  if (lane.tokens_dying_since !== null) return ['ALARM: too many dead tokens, none believed', 'red']
  if (lane.state === 'open') return ['open', 'green']
  const left = lane.state === 'paused' && lane.until !== null ? ` ${Math.max(0, Math.ceil((lane.until - now) / 1000))} s` : ''
  return [`${lane.state}${left}: ${lane.why}`, lane.state === 'paused' ? 'red' : 'yellow']
}

const heads = ['devices', 'target', 'sent', 'received', 'sent/s']
const NAME = 12
const CELL = 11
const cells = (numbers: readonly string[]): string => numbers.map((text) => text.padStart(CELL)).join('')

/** The table: a row for each channel and one for all. `live`: with what happens just now. */
export const table = (scene: Scene, live: boolean): string[] => {
  const { totals, devices } = scene
  const sums = [0, 0, 0, 0, 0]
  const rows = channels.map((channel) => {
    const { target, sent, received } = totals.of(channel)
    const numbers = [devices[channel], target, sent, received, Math.round(totals.rate(channel))]
    for (const [i, number] of numbers.entries()) sums[i]! += number
    const [words, style] = laneOf(channel, scene)
    const shown = cells((live ? numbers : numbers.slice(0, -1)).map(spelt))
    const lately = live ? `  ${styled('cyan', spark(totals.history(channel)))}  ${styled(style, words)}` : ''
    return `${styled('bold', channel.padEnd(NAME))}${shown}${lately}`
  })
  const shownHeads = cells(live ? heads : heads.slice(0, -1))
  return [
    styled('dim', `${'channel'.padEnd(NAME)}${shownHeads}${live ? `  ${'the last 20 s'.padEnd(HISTORY)}  lane` : ''}`),
    ...rows,
    styled('dim', `${'all'.padEnd(NAME)}${cells((live ? sums : sums.slice(0, -1)).map(spelt))}`),
  ]
}

/** The same in one line: target/sent/received. */
export const oneLine = (scene: Scene): string =>
  channels
    .map((channel) => {
      const { target, sent, received } = scene.totals.of(channel)
      const lane = scene.lanes.get(channel)
      const alarm = (lane?.tokens_dying_since ?? null) !== null
      const trouble = alarm ? ' ALARM' : lane && lane.state !== 'open' ? ` ${lane.state}` : ''
      return `${channel} ${target}/${sent}/${received}${trouble}`
    })
    .join('  ')
