import type { TaskShown } from '@carillon/sdk/answers.ts'
import { Alert } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { keys } from '../../api/keys.ts'
import { useSession } from '../../api/session.tsx'
import { Failed } from '../../parts/failed.tsx'
import { useWords } from '../../words/language.tsx'
import style from './compose.module.css'
import { composeWords } from './compose.words.ts'
import { type Draft, listKinds, withValue } from './draft.ts'
import { type DraftStore } from './draft-store.ts'
import { readRequest } from './read-request.ts'
import { useComposing, useDraftStore } from './use-draft.ts'

const route = getRouteApi('/compose')

/** What another page opened this one with is put into the draft, and it is said where the content came from. */
export const Origin = () => {
  const say = useWords(composeWords)
  const store = useDraftStore()
  const { caller } = useSession()
  const navigate = useNavigate({ from: '/compose' })
  const { task: taskId, ...audience } = route.useSearch()
  const task = useQuery({
    queryKey: keys.task(taskId ?? 0),
    queryFn: () => caller.task(taskId!),
    enabled: taskId !== undefined,
  })

  const kind = listKinds.find((each) => audience[each] !== undefined)
  const item = kind && String(audience[kind])
  useEffect(() => {
    // Once taken it leaves the address: coming back to the page must not undo what was changed since.
    const taken = () => void navigate({ search: {}, replace: true })
    if (kind && item !== undefined) {
      store.setAudience(kind, [item])
      taken()
    }
    if (taskId !== undefined && task.data) {
      sendAgain(store, task.data)
      taken()
    }
  }, [store, navigate, kind, item, taskId, task.data])

  if (taskId !== undefined) {
    return task.isError ? (
      <Failed error={task.error} again={() => void task.refetch()} />
    ) : (
      <Alert variant="light">{say.loadingTask(taskId)}</Alert>
    )
  }
  return (
    <div role="status" className={style.status}>
      <Notice />
    </div>
  )
}

const Notice = () => {
  const say = useWords(composeWords)
  const store = useDraftStore()
  const origin = useComposing((composing) => composing.origin)
  const isReplaced = useComposing(({ replaced }) => replaced !== undefined)
  const sentences = []
  if (origin?.from === 'task') sentences.push(say.fromTask(origin.task))
  if (origin?.from === 'task' && origin.tokensLost) sentences.push(say.tokensNotKept)
  if (origin?.from === 'purged task') sentences.push(say.taskPurged(origin.task))
  if (isReplaced) sentences.push(say.putAside)
  if (sentences.length === 0) return null
  return (
    <Alert variant="light" withCloseButton closeButtonLabel={say.dismiss} onClose={() => store.tell(undefined)}>
      {sentences.join(' ')}{' '}
      {isReplaced && (
        <button type="button" className={style.textButton} onClick={() => store.bringBack()}>
          {say.bringBack}
        </button>
      )}
    </Alert>
  )
}

/** A new request that reads like an old one. Its id and its time were that one's. */
const sendAgain = (store: DraftStore, { task_id: task, message, audience, setting }: TaskShown): void => {
  if (!message) {
    store.tell({ from: 'purged task', task })
    return
  }
  const tokensLost =
    typeof audience === 'object' && audience !== null && 'push_token' in audience && !Array.isArray(audience.push_token)
  const { draft } = readRequest({ message, setting, audience: tokensLost ? { push_token: [] } : audience })
  store.replace(
    (['setting.request_id', 'setting.send_time'] as const).reduce<Draft>(
      (rest, path) => withValue(rest, path, ''),
      draft,
    ),
    {
      from: 'task',
      task,
      tokensLost,
    },
  )
}
