import type { TaskDescription } from '@carillon/protocol/task-answers.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useWords } from '../../words/language.tsx'
import { tasksWords } from '../tasks.words.ts'
import style from './task.module.css'

/** As it was sent. */
export const Content = ({ task: { purged, audience, message, setting } }: { task: TaskDescription }) => {
  const say = useWords(tasksWords)
  const parts = [
    [say.message, message],
    [say.audienceSent, audience],
    [say.setting, setting],
  ] as const
  return (
    <Panel title={say.content}>
      {purged ? (
        <p className={style.soft}>{say.purged}</p>
      ) : (
        parts.map(([title, part]) => (
          <div key={title}>
            <h3 className={style.part}>{title}</h3>
            <CodeBlock code={JSON.stringify(part, null, 2)} what={title} />
          </div>
        ))
      )}
    </Panel>
  )
}
