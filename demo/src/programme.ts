import type { Notify } from '@carillon/protocol/notify.ts'
import { type Mishap, mishaps } from './mishaps.ts'

/** One notification, what it is in words, and the trouble that comes with it. */
export interface Act {
  words: string
  notify: Notify
  mishap?: Mishap
}

const SCHEDULED_SECONDS = 5
const GUESTS = 20

/** To everybody, over whatever reaches them: with this every channel has something to do. */
export const opening: Act = {
  words: 'text to everybody',
  notify: { audience: 'all', message: { title: 'The bells are ringing', body: 'Nine channels, one call' } },
}

/** What is sent, one after the other, again and again. `now`: Unix milliseconds. */
export function* programme(userIds: readonly number[], now: () => number): Generator<Act, never> {
  for (let round = 0; ; round += 1) {
    const tag = round % 2 === 0 ? 'news' : 'photos'
    const first = (round * GUESTS) % Math.max(1, userIds.length - GUESTS)
    yield {
      words: `image to the tag ${tag}`,
      notify: {
        audience: { tag: [tag] },
        message: {
          type: 'image', title: 'Seen from the tower', body: 'Today’s picture',
          attachment_url: `https://img.example.com/tower/${round}.jpg`,
        },
      },
    }
    yield {
      words: `text to ${GUESTS} users, high priority`,
      notify: {
        audience: { user_id: userIds.slice(first, first + GUESTS) },
        message: { title: 'Your table is ready', body: 'Please come to the desk', badge: '1', ext: { table: round } },
        setting: { priority: 'high', time_to_live: 600 },
      },
    }
    yield {
      words: 'cmd to the tag beta: shows nothing, wakes the app',
      notify: { audience: { tag: ['beta'] }, message: { type: 'cmd', ext: { sync: round } }, setting: { time_to_live: 60 } },
    }
    yield {
      words: 'text to everybody',
      notify: { audience: 'all', message: { title: 'The hour strikes', body: `Round ${round + 1}` }, setting: { collapse_id: 'hours' } },
      mishap: mishaps[round % mishaps.length],
    }
    yield {
      words: `text to the tag vip, over vendors alone, scheduled in ${SCHEDULED_SECONDS} s`,
      notify: {
        audience: { tag: ['vip'] },
        message: { title: 'For you', body: 'The tower is open tonight' },
        setting: { distribution_strategy: 'ospush_only', send_time: Math.floor(now() / 1000) + SCHEDULED_SECONDS },
      },
    }
    yield {
      words: 'text to the tag live, over the own channel alone',
      notify: {
        audience: { tag: ['live'] },
        message: { title: 'Live', body: 'The carillonneur has begun' },
        setting: { distribution_strategy: 'nativepush_only', time_to_live: 30 },
      },
    }
  }
}
