import type { ReceiptEvent } from '@carillon/protocol/names.ts'
import { Button, Group } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import { type Arrival, reportArrival } from '../../device/browser-device.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Empty, Panel } from '../../parts/panel.tsx'
import { TimeAgo } from '../../parts/time-ago.tsx'
import { useWords } from '../../words/language.tsx'
import { browserWords } from '../browser.words.ts'
import style from './browser.module.css'

const events = ['shown', 'clicked', 'dismissed'] as const satisfies readonly ReceiptEvent[]

/** What arrived, the newest first; each is acknowledged already. */
export const Arrivals = ({ arrivals }: { arrivals: readonly Arrival[] }) => {
  const say = useWords(browserWords)
  return (
    <Panel title={say.arrived}>
      {arrivals.length === 0 ? (
        <Empty title={say.nothing}>{say.nothingText}</Empty>
      ) : (
        <ol className={style.arrivals} aria-live="polite">
          {arrivals.map((arrival) => (
            <One key={arrival.push.task_id} arrival={arrival} />
          ))}
        </ol>
      )}
    </Panel>
  )
}

/** Drawn once: hundreds may stand there when the next one comes. */
const One = memo(({ arrival }: { arrival: Arrival }) => {
  const say = useWords(browserWords)
  const { push, at, reported } = arrival
  const task = String(push.task_id)
  const reporting = useMutation({ mutationFn: (event: ReceiptEvent) => reportArrival(arrival, event) })
  return (
    <li className={style.arrival}>
      <div className={style.head}>
        <strong>{push.title ?? say.noTitle}</strong>
        <span className={style.soft}>
          <TimeAgo at={at} /> · <Link to="/tasks/$taskId" params={{ taskId: push.task_id }}>{`${say.task} ${task}`}</Link>
        </span>
      </div>
      {push.body && <p className={style.body}>{push.body}</p>}
      {push.type === 'image' && push.attachment_url && <img className={style.image} src={push.attachment_url} alt={say.image} referrerPolicy="no-referrer" />}
      <Group gap="xs">
        {events.map((event) => (
          <Button
            key={event}
            variant="default"
            size="xs"
            disabled={reported.includes(event)}
            leftSection={reported.includes(event) && <Icon name="check" size={14} />}
            aria-label={say.report(say[event], task)}
            onClick={() => reporting.mutate(event)}
          >
            {say[event]}
          </Button>
        ))}
      </Group>
      <details>
        <summary>{say.payload}</summary>
        <CodeBlock code={JSON.stringify(push, null, 2)} what={say.payloadOf(task)} />
      </details>
    </li>
  )
})
