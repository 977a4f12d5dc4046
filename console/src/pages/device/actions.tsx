import type { DeviceDetail } from '@carillon/protocol/device-answers.ts'
import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { keys } from '../../api/keys.ts'
import { useSession } from '../../api/session.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { toastDone } from '../../parts/toasts.ts'
import { useWords } from '../../words/language.tsx'
import { devicesWords } from '../devices.words.ts'

/** What an operator may do with a device. */
export const DeviceActions = ({ device }: { device: DeviceDetail }) => {
  const say = useWords(devicesWords)
  return (
    <>
      <Button
        leftSection={<Icon name="compose" size={16} />}
        renderRoot={(props) => <Link to="/compose" search={{ push_token: device.push_token }} {...props} />}
      >
        {say.send}
      </Button>
      {device.logged_in && <SignOut device={device} />}
      <Remove pushToken={device.push_token} />
    </>
  )
}

const SignOut = ({ device: { push_token, user_id, device_guid } }: { device: DeviceDetail }) => {
  const say = useWords(devicesWords)
  const { caller } = useSession()
  const queries = useQueryClient()
  const [asks, question] = useDisclosure(false)
  const leaving = useMutation({
    mutationFn: () => caller.kickUser(user_id, device_guid),
    onSuccess: async () => {
      question.close()
      toastDone(say.signedOut)
      await queries.invalidateQueries({ queryKey: keys.device(push_token) })
    },
  })
  return (
    <>
      <Button variant="default" onClick={question.open}>
        {say.signOut}
      </Button>
      <ConfirmDialog
        opened={asks}
        title={say.signOutTitle}
        action={say.signOut}
        pending={leaving.isPending}
        onConfirm={() => leaving.mutate()}
        onClose={question.close}
      >
        {say.signOutText}
      </ConfirmDialog>
    </>
  )
}

const Remove = ({ pushToken }: { pushToken: string }) => {
  const say = useWords(devicesWords)
  const { ask } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [asks, question] = useDisclosure(false)
  const removing = useMutation({
    mutationFn: () => ask('/device/remove', { body: { push_token: pushToken } }),
    onSuccess: async () => {
      toastDone(say.removed)
      await navigate({ to: '/devices' })
      queries.removeQueries({ queryKey: keys.device(pushToken) })
      // Whatever was searched for, and whichever user it was of.
      await Promise.all([['devices'], ['user']].map((queryKey) => queries.invalidateQueries({ queryKey })))
    },
  })
  return (
    <>
      <Button variant="default" leftSection={<Icon name="trash" size={16} />} onClick={question.open}>
        {say.remove}
      </Button>
      <ConfirmDialog
        opened={asks}
        title={say.removeTitle}
        action={say.remove}
        pending={removing.isPending}
        onConfirm={() => removing.mutate()}
        onClose={question.close}
      >
        {say.removeText}
      </ConfirmDialog>
    </>
  )
}
