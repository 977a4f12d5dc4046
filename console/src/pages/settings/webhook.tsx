import { Button, Group, Skeleton, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { keys } from '../../api/keys.ts'
import { useSession } from '../../api/session.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { Failed, useReason } from '../../parts/failed.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Panel } from '../../parts/panel.tsx'
import { TimeAgo } from '../../parts/time-ago.tsx'
import { toastDone } from '../../parts/toasts.ts'
import { useWords } from '../../words/language.tsx'
import { settingsWords } from '../settings.words.ts'
import style from './settings.module.css'
import { WebhookEvents } from './webhook-events.tsx'

type Listener = { url: string; updated_at: number }

/** Where events are told, and what became of them. */
export const WebhookSettings = () => {
  const say = useWords(settingsWords)
  const { caller } = useSession()
  const { data: listener, error, refetch } = useQuery({ queryKey: keys.webhook, queryFn: () => caller.webhook() })
  return (
    <Stack>
      <Panel title={say.webhook}>
        <Stack>
          <p className={style.lead}>{say.webhookLead}</p>
          {error && listener === undefined && <Failed error={error} again={() => void refetch()} />}
          {!error && listener === undefined && <Skeleton height={60} />}
          {listener === null && <Notice tone="cool" title={say.noWebhook}>{say.noWebhookText}</Notice>}
          {listener && <Told listener={listener} />}
          {listener !== undefined && <Address key={listener?.url} listener={listener} />}
        </Stack>
      </Panel>
      {listener && <WebhookEvents />}
    </Stack>
  )
}

const Address = ({ listener }: { listener: Listener | null }) => {
  const say = useWords(settingsWords)
  const { caller } = useSession()
  const reason = useReason()
  const queries = useQueryClient()
  const form = useForm({ initialValues: { url: listener?.url ?? '' } })
  const setting = useMutation({
    mutationFn: (url: string) => caller.setWebhook(url),
    onSuccess: ({ secret }) => {
      queries.setQueryData(keys.webhookSecret, secret)
      return queries.invalidateQueries({ queryKey: keys.webhook })
    },
    onError: (error) => form.setFieldError('url', reason(error)),
    meta: { quiet: true },
  })
  return (
    <form noValidate onSubmit={form.onSubmit(({ url }) => setting.mutate(url.trim()))}>
      <Group align="flex-start">
        <TextInput
          label={say.url}
          description={say.urlHelp}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          type="url"
          flex={1}
          miw={220}
          {...form.getInputProps('url')}
        />
        <Button type="submit" mt={25} loading={setting.isPending} variant={listener ? 'default' : 'filled'}>
          {listener ? say.change : say.set}
        </Button>
      </Group>
    </form>
  )
}

const Told = ({ listener }: { listener: Listener }) => {
  const say = useWords(settingsWords)
  const { caller } = useSession()
  const queries = useQueryClient()
  const secret = queries.getQueryData<string>(keys.webhookSecret)
  const [asks, question] = useDisclosure(false)
  const testing = useMutation({
    mutationFn: () => caller.testWebhook(),
    onSuccess: () => {
      toastDone(say.tested)
      return queries.invalidateQueries({ queryKey: keys.events })
    },
  })
  const removing = useMutation({
    mutationFn: () => caller.deleteWebhook(),
    onSuccess: () => {
      question.close()
      queries.removeQueries({ queryKey: keys.webhookSecret })
      return queries.invalidateQueries({ queryKey: keys.webhook })
    },
  })
  return (
    <>
      {secret && (
        <Notice tone="good" title={say.secretTitle} role="status">
          <CodeBlock code={secret} what={say.secretTitle} />
        </Notice>
      )}
      <Group justify="space-between">
        <span>
          {say.since} <TimeAgo at={listener.updated_at} />
        </span>
        <Group gap="xs">
          <Button variant="default" size="xs" loading={testing.isPending} onClick={() => testing.mutate()}>
            {say.test}
          </Button>
          <Button variant="default" size="xs" onClick={question.open}>
            {say.remove}
          </Button>
        </Group>
      </Group>
      <ConfirmDialog opened={asks} title={say.removeTitle} action={say.remove} pending={removing.isPending} onConfirm={() => removing.mutate()} onClose={question.close}>
        {say.removeText}
      </ConfirmDialog>
    </>
  )
}
