import { Button, Group, Modal, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useBrowserDevice } from '../../device/browser-device.ts'
import { useReason } from '../../parts/failed.tsx'
import { partsWords } from '../../parts/parts.words.ts'
import { useWords } from '../../words/language.tsx'
import style from './compose.module.css'
import { composeWords } from './compose.words.ts'
import { newRequestId } from './draft.ts'
import { useSend } from './sending.ts'
import { type TrialDevice, trialOf } from './trial.ts'
import { useDraftStore } from './use-draft.ts'

/** Sends the draft to one device, to look at it before everybody does. */
export const MyDevice = ({ opened, onClose }: { opened: boolean; onClose: () => void }) => {
  const say = useWords(composeWords)
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={say.myDevice}
      centered
      closeButtonProps={{ 'aria-label': say.close }}
    >
      <Trial onClose={onClose} />
    </Modal>
  )
}

type Way = 'browser' | TrialDevice['kind']

/** The one used last is the one wanted next; for as long as the page lives. */
let last: { way: Way | undefined; item: string } = { way: undefined, item: '' }

const Trial = ({ onClose }: { onClose: () => void }) => {
  const say = useWords(composeWords)
  const parts = useWords(partsWords)
  const reason = useReason()
  const store = useDraftStore()
  const sending = useSend()
  const { pushToken, state } = useBrowserDevice()
  const [chosen, choose] = useState(last)
  const [isMissing, setMissing] = useState(false)
  // Made when the dialog opens: however often the button is pressed, it is one task.
  const [requestId] = useState(() => newRequestId())
  const way =
    pushToken === undefined && chosen.way === 'browser'
      ? 'push_token'
      : (chosen.way ?? (pushToken ? 'browser' : 'push_token'))

  const submit = (event: FormEvent) => {
    event.preventDefault()
    const item = way === 'browser' ? pushToken! : chosen.item.trim()
    setMissing(item === '')
    if (item === '') return
    last = { way, item: way === 'browser' ? '' : item }
    const device: TrialDevice = { kind: way === 'alias' ? 'alias' : 'push_token', item }
    sending.mutate({ draft: trialOf(store.get().draft, device, requestId), trial: true }, { onSuccess: onClose })
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {say.myDeviceLead}
        </Text>
        <SegmentedControl
          aria-label={say.deviceBy}
          value={way}
          onChange={(value) => choose({ way: value as Way, item: '' })}
          data={[
            ...(pushToken === undefined ? [] : [{ value: 'browser', label: say.thisBrowser }]),
            { value: 'push_token', label: say.oneToken },
            { value: 'alias', label: say.oneAlias },
          ]}
        />
        {way === 'browser' ? (
          <Text size="sm">{state?.kind === 'online' ? say.thisBrowserHelp : say.thisBrowserAway}</Text>
        ) : (
          <TextInput
            label={way === 'alias' ? say.oneAlias : say.oneToken}
            value={chosen.item}
            onChange={(event) => choose({ way, item: event.currentTarget.value })}
            error={isMissing ? say.deviceNeeded : undefined}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
          />
        )}
        {sending.isError && (
          <p className={style.problem} role="alert">
            {reason(sending.error)}
          </p>
        )}
        <Group justify="space-between">
          {pushToken === undefined ? <Link to="/browser">{say.makeBrowser}</Link> : <span />}
          <Group gap="xs">
            <Button variant="default" onClick={onClose}>
              {parts.cancel}
            </Button>
            <Button type="submit" loading={sending.isPending}>
              {say.sendNow}
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  )
}
