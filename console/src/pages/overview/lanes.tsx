import type { Overview } from '@carillon/protocol/console-answers.ts'
import { Link } from '@tanstack/react-router'
import { Badge, ProviderBadge, type Tone } from '../../parts/badges.tsx'
import { useNow } from '../../parts/now.ts'
import { Empty, Panel } from '../../parts/panel.tsx'
import { reasonWords } from '../../parts/reason.words.ts'
import { TimeAgo } from '../../parts/time-ago.tsx'
import { useLanguage, useWords } from '../../words/language.tsx'
import { useTold } from '../../words/told.ts'
import { overviewWords } from '../overview.words.ts'
import style from './overview.module.css'

type Lane = Overview['lanes'][number]

const tones: Record<Lane['state'], Tone> = { open: 'good', paused: 'bad', trying: 'warn' }

/** The ways to the vendors: whether they take anything, and if not, why. */
export const Lanes = ({ lanes }: { lanes: Lane[] }) => {
  const say = useWords(overviewWords)
  const told = useTold(reasonWords)
  const { formats } = useLanguage()
  const now = useNow()
  return (
    <Panel title={say.lanes} aside={<span className={style.soft}>{say.lanesLead}</span>}>
      {lanes.length === 0 && (
        <Empty title={say.noLanes} action={<Link to="/certificates">{say.toCertificates}</Link>}>
          {say.noLanesText}
        </Empty>
      )}
      <ul className={style.list}>
        {lanes.map(({ provider, environment, state, why, reason, until, tokens_dying_since, requests_under_way }) => (
          <li key={`${provider} ${environment}`} className={style.lane}>
            <span className={style.row}>
              <ProviderBadge provider={provider} environment={environment} />
              <span className={style.end}>
                {requests_under_way > 0 && (
                  <span className={style.soft}>{say.underWay(formats.number(requests_under_way))} </span>
                )}
                <Badge tone={tones[state]} dot>
                  {say[state]}
                </Badge>
              </span>
            </span>
            {why && (
              <p className={style.why}>
                {told(reason, why)}
                {until !== null && until > now && (
                  <>
                    {' · '}
                    {say.until} <TimeAgo at={until} />
                  </>
                )}
              </p>
            )}
            {tokens_dying_since !== null && <p className={style.why}>{say.dying}</p>}
          </li>
        ))}
      </ul>
    </Panel>
  )
}
