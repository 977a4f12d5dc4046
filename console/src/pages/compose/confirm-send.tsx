import { Text } from '@mantine/core'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { useReason } from '../../parts/failed.tsx'
import { useLanguage, useWords } from '../../words/language.tsx'
import { useCount } from './asked.ts'
import style from './compose.module.css'
import { composeWords } from './compose.words.ts'
import { isBlank, valueOf } from './draft.ts'
import { reachOf } from './reach-of.ts'
import { CountList, useDevicesInWords } from './reach.tsx'
import { zoneHere } from './times.ts'
import { useComposing } from './use-draft.ts'

interface ConfirmSend {
  opened: boolean
  intention: 'send' | 'schedule' | 'dryRun'
  pending: boolean
  onConfirm(): void
  onClose(): void
}

/** Says to how many it goes, by which channels, and when, before it cannot be called back. */
export const ConfirmSend = ({ opened, intention, pending, onConfirm, onClose }: ConfirmSend) => {
  const say = useWords(composeWords)
  const { formats } = useLanguage()
  const reason = useReason()
  const inWords = useDevicesInWords()
  const { count, isCurrent, error } = useCount()
  const title = useComposing(({ draft }) => valueOf(draft, 'message.title'))
  const body = useComposing(({ draft }) => valueOf(draft, 'message.body'))
  const sendTime = useComposing(({ draft }) => valueOf(draft, 'setting.send_time'))
  const question = () => {
    if (intention === 'dryRun') return say.confirmDry
    if (!count || error) return error ? say.confirmUnknown : say.counting
    if (count.complete && reachOf(count) === 0) return say.confirmNobody
    return intention === 'schedule' ? say.confirmSchedule(inWords(count)) : say.confirmSend(inWords(count))
  }
  const consequence = { send: say.confirmCannotUndo, schedule: say.confirmCanCancel, dryRun: say.dryRunIsOn }[intention]
  const action = { send: say.sendNow, schedule: say.scheduleNow, dryRun: say.dryRunNow }[intention]
  const waits = !isCurrent && !error
  return (
    <ConfirmDialog
      opened={opened}
      title={question()}
      action={action}
      dangerous={false}
      pending={pending || waits}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <blockquote className={style.quoted}>
        <strong>{isBlank(title) ? say.untitled : title}</strong>
        {!isBlank(body) && <span>{body}</span>}
      </blockquote>
      {count && count.devices > 0 && !error && (
        <div data-stale={waits}>
          <Text size="sm" c="dimmed" mb={6}>
            {say.confirmCount}
          </Text>
          <CountList count={count} />
          {!count.complete && <p className={style.note}>{say.incomplete}</p>}
        </div>
      )}
      {error && (
        <p className={style.problem}>
          {say.cannotCount} {reason(error)}
        </p>
      )}
      <Text size="sm" mt="md">
        {intention === 'schedule' && <>{say.confirmAt(formats.inFull(Number(sendTime) * 1000), zoneHere())} </>}
        {consequence}
      </Text>
    </ConfirmDialog>
  )
}
