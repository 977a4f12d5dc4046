import { channels } from '@carillon/protocol/names.ts'
import type { Counted } from '@carillon/protocol/push-answers.ts'
import { Text } from '@mantine/core'
import { ChannelBadge } from '../../parts/badges.tsx'
import { useReason } from '../../parts/failed.tsx'
import { reasonWords } from '../../parts/reason.words.ts'
import { useLanguage, useWords } from '../../words/language.tsx'
import { useTold } from '../../words/told.ts'
import { reachOf } from './reach-of.ts'
import { useCount } from './asked.ts'
import style from './compose.module.css'
import { composeWords } from './compose.words.ts'

/** The devices in words: "1,234 devices", or that there are at least so many. */
export const useDevicesInWords = (): ((count: Counted) => string) => {
  const say = useWords(composeWords)
  const { formats } = useLanguage()
  return (count) => {
    const reached = reachOf(count)
    const words = say.devices(reached, formats.number(reached))
    return count.complete ? words : say.atLeast(words)
  }
}

/** How many it reaches, before anything is sent. */
export const Reach = () => {
  const say = useWords(composeWords)
  const reason = useReason()
  const inWords = useDevicesInWords()
  const { canAsk, count, isCurrent, error } = useCount()
  return (
    <section className={style.reach} aria-label={say.reach} aria-busy={canAsk && !isCurrent && !error}>
      <h3 className={style.small}>{say.reach}</h3>
      {!canAsk && (
        <Text size="sm" c="dimmed">
          {say.reachHint}
        </Text>
      )}
      {canAsk && error && (
        <Text size="sm" className={style.warn}>
          {say.cannotCount} {reason(error)}
        </Text>
      )}
      {canAsk && !error && !count && (
        <Text size="sm" c="dimmed">
          {say.counting}
        </Text>
      )}
      {canAsk && !error && count && (
        <div data-stale={!isCurrent}>
          <p className={style.reachNumber} role="status">
            {reachOf(count) === 0 && count.complete ? say.nobody : inWords(count)}
          </p>
          <CountList count={count} />
          {!count.complete && (
            <Text size="xs" c="dimmed" mt={6}>
              {say.incomplete}
            </Text>
          )}
        </div>
      )}
    </section>
  )
}

/** Where they are reached, each channel with its share. */
export const CountList = ({ count }: { count: Counted }) => {
  const say = useWords(composeWords)
  const told = useTold(reasonWords)
  const { formats } = useLanguage()
  const used = channels
    .filter((channel) => (count.channels[channel] ?? 0) > 0)
    .toSorted((a, b) => count.channels[b]! - count.channels[a]!)
  const shareOf = (number: number): number => number / Math.max(1, count.devices)
  return (
    <ul className={style.counts}>
      {used.map((channel) => (
        <li key={channel} className={style.count}>
          <ChannelBadge channel={channel} />
          <span className={style.countNumber}>{formats.number(count.channels[channel]!)}</span>
          <Share of={shareOf(count.channels[channel]!)} />
        </li>
      ))}
      {count.held > 0 && <Later name={say.held} why={say.heldHelp} count={count.held} of={shareOf(count.held)} />}
      {count.inbox > 0 && <Later name={say.inbox} why={say.inboxHelp} count={count.inbox} of={shareOf(count.inbox)} />}
      {count.reasons.map(({ reason, devices }) => (
        <Later
          key={reason.name}
          name={say.none}
          why={told(reason, reason.name)}
          count={devices}
          of={shareOf(devices)}
          isDimmed
        />
      ))}
    </ul>
  )
}

interface Later {
  name: string
  why: string
  count: number
  of: number
  isDimmed?: boolean
}

/** Those who do not get it at once, and why. */
const Later = ({ name, why, count, of, isDimmed = false }: Later) => (
  <li className={style.count}>
    <span className={isDimmed ? style.dimmed : undefined}>
      {name}
      <span className={style.why}>{why}</span>
    </span>
    <span className={style.countNumber}>{useLanguage().formats.number(count)}</span>
    <Share of={of} quiet />
  </li>
)

const Share = ({ of, quiet = false }: { of: number; quiet?: boolean }) => (
  <svg className={style.share} data-quiet={quiet} viewBox="0 0 100 3" preserveAspectRatio="none" aria-hidden="true">
    <rect width="100" height="3" />
    <rect width={Math.min(100, of * 100)} height="3" data-part="" />
  </svg>
)
