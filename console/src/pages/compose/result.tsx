import { channels } from '@carillon/protocol/names.ts'
import { Button, Group, Table } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { keys } from '../../api/keys.ts'
import { useLive, useLiveTask } from '../../api/live.ts'
import { useSession } from '../../api/session.tsx'
import { ChannelBadge, StateBadge } from '../../parts/badges.tsx'
import { fateWords } from '../../parts/fate.words.ts'
import { Panel } from '../../parts/panel.tsx'
import { partsWords } from '../../parts/parts.words.ts'
import { reasonWords } from '../../parts/reason.words.ts'
import { useLanguage, useWords } from '../../words/language.tsx'
import { useTold } from '../../words/told.ts'
import style from './compose.module.css'
import { composeWords } from './compose.words.ts'
import { type Sent, isSent } from './draft-store.ts'
import { useComposing, useDraftStore } from './use-draft.ts'

/** What became of what was sent last. */
export const Result = () => {
  const sent = useComposing((composing) => composing.sent)
  return sent ? <SentTask key={sent.taskId} sent={sent} /> : null
}

const SentTask = ({ sent: { taskId, trial } }: { sent: Sent }) => {
  const say = useWords(composeWords)
  const store = useDraftStore()
  const isSame = useComposing(isSent)
  const place = useRef<HTMLDivElement>(null)
  // Who has just sent stands at the end of the form; what became of it stands above.
  useEffect(() => {
    void place.current?.scrollIntoView({ block: 'center', behavior: 'smooth' })
  }, [])
  return (
    <div ref={place}>
      <Panel
        title={say.sentTitle(taskId)}
        aside={
          <Link to="/tasks/$taskId" params={{ taskId }}>
            {say.openTask}
          </Link>
        }
      >
        <div role="status">
          <p className={style.note}>{trial ? say.sentTrial : say.sentDone}</p>
        </div>
        <Counters taskId={taskId} />
        {!trial && (
          <Group gap="xs" mt="md">
            {isSame && (
              <Button variant="default" size="xs" onClick={() => store.renewId()}>
                {say.sendAgain}
              </Button>
            )}
            <Button variant="default" size="xs" onClick={() => store.startOver()}>
              {say.writeNew}
            </Button>
          </Group>
        )}
      </Panel>
    </div>
  )
}

/** The task as it goes: told by the second, and asked for once in case nothing is told. */
const Counters = ({ taskId }: { taskId: number }) => {
  const say = useWords(composeWords)
  const parts = useWords(partsWords)
  const fates = useWords(fateWords)
  const told = useTold(reasonWords)
  const { formats } = useLanguage()
  const { caller } = useSession()
  useLive(taskId)
  const live = useLiveTask(taskId)
  const { data: asked } = useQuery({
    queryKey: keys.task(taskId),
    queryFn: () => caller.task(taskId),
    enabled: live === undefined,
  })
  const task = live ?? asked
  if (!task) return <p className={style.note}>{parts.loading}</p>
  const used = channels.filter((channel) => task.counters[`${channel}_target`] > 0)
  const isOver = ['done', 'cancelled', 'expired'].includes(task.state)
  return (
    <>
      <p className={style.state}>
        <StateBadge state={task.state} />
        {task.waiting > 0 && (
          <span className={style.dimmed}>{say.waitingFor(task.waiting, formats.number(task.waiting))}</span>
        )}
      </p>
      {used.length === 0 && isOver && (
        <p className={style.note}>
          {say.reachedNobody}{' '}
          {task.fates
            .map(({ state, reason, why = fates[state], deliveries }) =>
              say.became(told(reason, why), formats.number(deliveries)),
            )
            .join(say.comma)}
        </p>
      )}
      {used.length > 0 && (
        <Table aria-label={say.channelsOfTask} className={style.counters} verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{parts.channel}</Table.Th>
              {(['target', 'sent', 'received'] as const).map((figure) => (
                <Table.Th key={figure} scope="col" ta="end">
                  {parts[figure]}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {used.map((channel) => (
              <Table.Tr key={channel}>
                <Table.Th scope="row">
                  <ChannelBadge channel={channel} />
                </Table.Th>
                {(['target', 'sent', 'received'] as const).map((figure) => (
                  <Table.Td key={figure} ta="end">
                    {formats.number(task.counters[`${channel}_${figure}`])}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </>
  )
}
