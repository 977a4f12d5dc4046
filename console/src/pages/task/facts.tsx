import type { TaskDescription } from '@carillon/protocol/task-answers.ts'
import { Stat, Stats } from '../../parts/panel.tsx'
import { Moment, TimeAgo } from '../../parts/time-ago.tsx'
import { named } from '../../parts/who.ts'
import { whoWords } from '../../parts/who.words.ts'
import { useLanguage, useWords } from '../../words/language.tsx'
import { tasksWords } from '../tasks.words.ts'

/** When, by whom, and what still waits. */
export const Facts = ({ task }: { task: TaskDescription }) => {
  const say = useWords(tasksWords)
  const who = useWords(whoWords)
  const { formats } = useLanguage()
  return (
    <Stats>
      <Stat label={say.accepted} value={<TimeAgo at={task.accepted_at} />} note={<Moment at={task.accepted_at} />} />
      {task.planned_for !== null && task.planned_for > task.accepted_at && (
        <Stat label={say.plannedFor} value={<TimeAgo at={task.planned_for} />} note={<Moment at={task.planned_for} />} />
      )}
      {task.finished_at === null ? (
        <Stat label={say.expires} value={<TimeAgo at={task.expires_at} />} note={<Moment at={task.expires_at} />} />
      ) : (
        <Stat label={say.finished} value={<TimeAgo at={task.finished_at} />} note={<Moment at={task.finished_at} />} />
      )}
      <Stat label={say.scope} value={named(task.scope, who)} />
      <Stat label={say.waiting} value={formats.number(task.waiting)} />
    </Stats>
  )
}
