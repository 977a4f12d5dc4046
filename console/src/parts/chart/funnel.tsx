import { type ChannelName, channels } from '@carillon/protocol/names.ts'
import type { Tally } from '@carillon/protocol/counters.ts'
import { useLanguage, useWords } from '../../words/language.tsx'
import { ChannelBadge } from '../badges.tsx'
import { partsWords } from '../parts.words.ts'
import style from './funnel.module.css'

/** Per channel: for how many it was chosen, to how many it went out, how many said they have it. */
export const Funnel = ({ label, tallies }: { label: string; tallies: Partial<Record<ChannelName, Tally>> }) => {
  const say = useWords(partsWords)
  const { formats } = useLanguage()
  const used = channels.flatMap((channel) => {
    const tally = tallies[channel]
    return tally && tally.target > 0 ? [{ channel, ...tally }] : []
  })
  const most = Math.max(1, ...used.map(({ target }) => target))
  return (
    <table className={style.funnel} aria-label={label}>
      <thead>
        <tr>
          <th scope="col">{say.channel}</th>
          <td className={style.bars} />
          <th scope="col">{say.target}</th>
          <th scope="col">{say.sent}</th>
          <th scope="col">{say.received}</th>
        </tr>
      </thead>
      <tbody>
        {used.map(({ channel, target, sent, received }) => (
          <tr key={channel}>
            <th scope="row">
              <ChannelBadge channel={channel} />
            </th>
            <td className={style.bars}>
              <span className={style.bar} style={{ width: `${(100 * target) / most}%` }}>
                <span className={style.sent} style={{ width: share(sent, target) }} />
                <span className={style.received} style={{ width: share(received, target) }} />
              </span>
            </td>
            <td>{formats.number(target)}</td>
            <td>
              {formats.number(sent)} <small>{formats.percent(sent / target)}</small>
            </td>
            <td>
              {formats.number(received)} <small>{formats.percent(received / target)}</small>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const share = (part: number, whole: number): string => `${(100 * part) / whole}%`
