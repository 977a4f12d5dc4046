import type { Notify } from '@carillon/protocol/notify.ts'
import { useMutation } from '@tanstack/react-query'
import { useSession } from '../../api/session.tsx'
import { type Draft, valueOf } from './draft.ts'
import { requestOf } from './request.ts'
import { useDraftStore } from './use-draft.ts'

/** Sends a draft. With its request id the caller may ask again until it is answered; the server sends it once. */
export const useSend = () => {
  const { caller } = useSession()
  const store = useDraftStore()
  return useMutation({
    mutationFn: ({ draft }: { draft: Draft; trial: boolean }) => caller.notify(requestOf(draft) satisfies Notify),
    onSuccess: ({ task_id }, { draft, trial }) =>
      store.succeed({ taskId: task_id, requestId: valueOf(draft, 'setting.request_id'), trial }),
    onError: (error, { trial }) => {
      if (!trial) store.refuse(error)
    },
    meta: { quiet: true },
  })
}
