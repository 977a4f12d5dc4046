import { Button, Tooltip } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { useState } from 'react'
import { Icon } from '../../parts/icon.tsx'
import { useWords } from '../../words/language.tsx'
import { reachOf } from './reach-of.ts'
import { useCount, useCountNow } from './asked.ts'
import style from './compose.module.css'
import { composeWords } from './compose.words.ts'
import { ConfirmSend } from './confirm-send.tsx'
import { isBlank, valueOf } from './draft.ts'
import { type Composing, isSent, isUnknown } from './draft-store.ts'
import { useSentence } from './field.tsx'
import { isFieldPath } from './fields.ts'
import { MyDevice } from './my-device.tsx'
import { useDevicesInWords } from './reach.tsx'
import { useSend } from './sending.ts'
import { useComposing, useDraftStore } from './use-draft.ts'

/** So many devices are sent to without asking. None at all is asked about: it is hardly what was meant. */
const FEW = 3

/** What one is about to do: decides the words. */
const intentionOf = ({ draft }: Composing): 'send' | 'schedule' | 'dryRun' => {
  if (valueOf(draft, 'setting.dry_run') === 'true') return 'dryRun'
  return isBlank(valueOf(draft, 'setting.send_time')) ? 'send' : 'schedule'
}

/** The end of the flow, always in sight: how many, and the button. */
export const SendBar = () => {
  const say = useWords(composeWords)
  const store = useDraftStore()
  const sending = useSend()
  const inWords = useDevicesInWords()
  const { count, isCurrent } = useCount()
  const countNow = useCountNow()
  const [looking, setLooking] = useState(false)
  const intention = useComposing(intentionOf)
  const done = useComposing(isSent)
  const [asks, asking] = useDisclosure(false)
  const [trying, trial] = useDisclosure(false)

  const send = () => sending.mutate({ draft: store.get().draft, trial: false }, { onSettled: asking.close })
  const begin = async () => {
    if (asks || looking || sending.isPending || isSent(store.get())) return
    if (!store.trySending()) {
      showFirstProblem(store.get())
      return
    }
    setLooking(true)
    const { draft } = store.get()
    const fresh = await countNow(draft)
    setLooking(false)
    const reached = fresh?.complete ? reachOf(fresh) : 0
    if (reached > 0 && reached <= FEW && store.get().draft === draft) send()
    else asking.open()
  }
  const beginTrial = () => {
    // To whom and when the draft goes does not matter here.
    if (store.trySending(({ path }) => path !== 'audience' && path !== 'setting.send_time')) trial.open()
    else showFirstProblem(store.get())
  }
  const onKeys = (event: KeyboardEvent) => {
    if (!(event.target as Element).closest('[role="dialog"]')) void begin()
  }
  useHotkeys(
    [
      ['mod+Enter', onKeys],
      ['ctrl+Enter', onKeys],
    ],
    [],
  )

  return (
    <div className={style.bar}>
      <div className={style.barText}>
        <BarText />
        {count && <span data-stale={!isCurrent}>{inWords(count)}</span>}
      </div>
      <div className={style.barButtons}>
        <Button variant="default" onClick={beginTrial}>
          {say.myDevice}
        </Button>
        <Tooltip label={say.sendKeys} withArrow>
          <Button
            onClick={() => void begin()}
            loading={looking || (sending.isPending && !asks)}
            disabled={done}
            leftSection={<Icon name={intention === 'schedule' ? 'clock' : 'compose'} size={16} />}
            aria-keyshortcuts="Control+Enter"
          >
            {done ? say.sentAlready : say[intention]}
          </Button>
        </Tooltip>
      </div>
      <ConfirmSend
        opened={asks}
        intention={intention}
        pending={sending.isPending}
        onConfirm={send}
        onClose={asking.close}
      />
      <MyDevice opened={trying} onClose={trial.close} />
    </div>
  )
}

/** What keeps it from being sent, if something does. */
const BarText = () => {
  const say = useWords(composeWords)
  const store = useDraftStore()
  const sentence = useSentence()
  const refusal = useComposing((composing) => composing.refusal)
  const wrong = useComposing(({ tried, problems }) => (tried ? problems.length : 0))
  if (refusal) {
    return (
      <span className={style.problem} role="alert">
        {sentence(refusal)} {isUnknown(refusal) && say.tryAgainSafe}
      </span>
    )
  }
  if (wrong === 0) return null
  return (
    <span className={style.problem} role="alert">
      {say.fixFirst(wrong)}{' '}
      <button type="button" className={style.textButton} onClick={() => showFirstProblem(store.get())}>
        {say.showFirst}
      </button>
    </span>
  )
}

const FRAMES = 60

/** Leads to a field. It may have to be unfolded first, which takes some frames. */
const focusOn = (id: string, frames = FRAMES): void => {
  const field = document.getElementById(id)
  field?.focus({ preventScroll: true })
  field?.scrollIntoView({ block: 'center', behavior: 'smooth' })
  if (document.activeElement !== field && frames > 0) requestAnimationFrame(() => focusOn(id, frames - 1))
}

/** Leads to the first field that is wrong. */
const showFirstProblem = ({ problems, refusal }: Composing): void => {
  const named = refusal?.path?.replace(/\[.*$/, '').replace(/^audience.*/, 'audience')
  const path = problems[0]?.path ?? named
  if (path === undefined) return
  const id = path === 'message' ? 'message.title' : isFieldPath(path) ? path : 'audience'
  requestAnimationFrame(() => focusOn(id))
}
