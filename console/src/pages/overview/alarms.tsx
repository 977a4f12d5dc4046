import type { Alarm } from '@carillon/protocol/console-answers.ts'
import { ChannelBadge } from '../../parts/badges.tsx'
import { Icon } from '../../parts/icon.tsx'
import { reasonWords } from '../../parts/reason.words.ts'
import { TimeAgo } from '../../parts/time-ago.tsx'
import { useWords } from '../../words/language.tsx'
import { useTold } from '../../words/told.ts'
import { overviewWords } from '../overview.words.ts'
import { alarmWords } from './alarm.words.ts'
import style from './overview.module.css'

/** What an operator should look at. Nothing at all while nothing is wrong. */
export const Alarms = ({ alarms }: { alarms: Alarm[] }) => {
  const say = useWords(overviewWords)
  const told = useTold(alarmWords)
  const why = useTold(reasonWords)
  if (alarms.length === 0) return null
  return (
    <ul className={style.alarms} aria-label={say.alarms}>
      {alarms.map((alarm) => (
        <li key={`${alarm.kind} ${alarm.vendor} ${alarm.environment} ${alarm.text}`} className={style.alarm}>
          <Icon name="alert" />
          <span className={style.row}>
            <span className={style.what}>{say[alarm.kind]}</span>
            {alarm.vendor && <ChannelBadge channel={alarm.vendor} environment={alarm.environment} />}
          </span>
          {alarm.since !== null && (
            <span className={style.since}>
              {say.since} <TimeAgo at={alarm.since} />
            </span>
          )}
          <p className={style.why}>{alarm.reason ? why(alarm.reason, alarm.text) : told(alarm.told, alarm.text)}</p>
        </li>
      ))}
    </ul>
  )
}
