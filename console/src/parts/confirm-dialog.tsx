import { Button, Group, Modal, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { useWords } from '../words/language.tsx'
import { partsWords } from './parts.words.ts'

interface Confirm {
  opened: boolean
  /** A question: "Remove this device?" */
  title: string
  /** What will happen, and what cannot be undone. */
  children: ReactNode
  /** The verb: "Remove". */
  action: string
  dangerous?: boolean
  pending?: boolean
  /** False until what has to be typed first is typed. */
  ready?: boolean
  onConfirm(): void
  onClose(): void
}

/** Asks before something that cannot be undone. The safe answer has the focus. */
export const ConfirmDialog = ({
  opened,
  title,
  children,
  action,
  dangerous = true,
  pending = false,
  ready = true,
  onConfirm,
  onClose,
}: Confirm) => {
  const say = useWords(partsWords)
  return (
    <Modal opened={opened} onClose={onClose} title={title} centered closeButtonProps={{ 'aria-label': say.cancel }}>
      <Stack>
        <div>{children}</div>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {say.cancel}
          </Button>
          <Button color={dangerous ? 'red' : undefined} loading={pending} disabled={!ready} onClick={onConfirm}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
