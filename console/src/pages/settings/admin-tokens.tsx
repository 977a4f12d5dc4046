import type { AdminToken, AdminTokenMade } from '@carillon/protocol/token-answers.ts'
import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { fieldOf } from '../../api/failure.ts'
import { keys } from '../../api/keys.ts'
import { useSession } from '../../api/session.tsx'
import { Badge } from '../../parts/badges.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { Failed, useReason } from '../../parts/failed.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Panel } from '../../parts/panel.tsx'
import { TimeAgo } from '../../parts/time-ago.tsx'
import { toastDone, toastFailed } from '../../parts/toasts.ts'
import { useLanguage, useWords } from '../../words/language.tsx'
import { settingsWords } from '../settings.words.ts'
import style from './settings.module.css'

const DAY_MS = 86_400_000
const lifetimes = [null, 7, 30, 90, 365] as const

/** Who may do everything here. */
export const AdminTokens = () => {
  const say = useWords(settingsWords)
  const { ask } = useSession()
  const { data, error, refetch } = useQuery({ queryKey: keys.tokens, queryFn: () => ask<AdminToken[]>('/app/token/list') })
  const [revoking, setRevoking] = useState<AdminToken>()
  return (
    <Stack>
      <NewToken />
      <Panel title={say.tokens} flush>
        {error && !data && <Failed error={error} again={() => void refetch()} />}
        {!(error && !data) && <TokenTable tokens={data} onRevoke={setRevoking} />}
      </Panel>
      <Revocation token={revoking} onClose={() => setRevoking(undefined)} />
    </Stack>
  )
}

const useNameOf = (): ((token: AdminToken) => string) => {
  const say = useWords(settingsWords)
  return ({ id, name }) => `${name ?? say.unnamed} (${id})`
}

const TokenTable = ({ tokens, onRevoke }: { tokens: AdminToken[] | undefined; onRevoke(token: AdminToken): void }) => {
  const say = useWords(settingsWords)
  const nameOf = useNameOf()
  return (
    <DataTable
      label={say.tokens}
      rows={tokens}
      rowKey={({ id }) => id}
      columns={[
        {
          title: say.name,
          cell: (token) => (
            <>
              {nameOf(token)} {token.current && <Badge tone="accent">{say.thisOne}</Badge>}
            </>
          ),
        },
        { title: say.made, wide: true, cell: ({ created_at }) => <TimeAgo at={created_at} /> },
        { title: say.expires, cell: ({ expires_at }) => (expires_at === null ? say.never : <TimeAgo at={expires_at} />) },
        {
          title: say.action,
          align: 'end',
          cell: (token) => (
            <Button variant="default" size="xs" aria-label={say.revokeThis(nameOf(token))} onClick={() => onRevoke(token)}>
              {say.revoke}
            </Button>
          ),
        },
      ]}
    />
  )
}

const Revocation = ({ token, onClose }: { token: AdminToken | undefined; onClose(): void }) => {
  const say = useWords(settingsWords)
  const nameOf = useNameOf()
  const { ask } = useSession()
  const queries = useQueryClient()
  const revoking = useMutation({
    mutationFn: (id: number) => ask('/app/token/revoke', { body: { id } }),
    onSuccess: async () => {
      onClose()
      toastDone(say.revoked)
      // Where it was this session's own, the refused answer leads to the sign-in.
      await queries.invalidateQueries({ queryKey: keys.tokens })
    },
  })
  return (
    <ConfirmDialog
      opened={token !== undefined}
      title={token ? say.revokeTitle(nameOf(token)) : ''}
      action={say.revoke}
      pending={revoking.isPending}
      onConfirm={() => token && revoking.mutate(token.id)}
      onClose={onClose}
    >
      <p>{say.revokeText}</p>
      {token?.current && <Notice tone="warn">{say.revokeOwn}</Notice>}
    </ConfirmDialog>
  )
}

const NewToken = () => {
  const say = useWords(settingsWords)
  const { formats } = useLanguage()
  const { ask } = useSession()
  const reason = useReason()
  const queries = useQueryClient()
  const form = useForm({ initialValues: { name: '', days: '' } })
  const making = useMutation({
    mutationFn: ({ name, days }: { name: string; days: string }) =>
      ask<AdminTokenMade>('/app/token/create', {
        body: { ...(name.trim() && { name: name.trim() }), ...(days && { expires_at: Date.now() + Number(days) * DAY_MS }) },
      }),
    onSuccess: () => {
      form.reset()
      return queries.invalidateQueries({ queryKey: keys.tokens })
    },
    onError: (error) => {
      if (fieldOf(error) === 'name') form.setFieldError('name', reason(error))
      else toastFailed(reason(error))
    },
    meta: { quiet: true },
  })
  return (
    <Panel title={say.newToken}>
      <Stack>
        <p className={style.lead}>{say.tokensLead}</p>
        <form noValidate onSubmit={form.onSubmit((values) => making.mutate(values))}>
          <Group align="flex-start">
            <TextInput
              label={say.name}
              description={say.nameHelp}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              maxLength={128}
              flex={1}
              miw={200}
              {...form.getInputProps('name')}
            />
            <NativeSelect
              label={say.expires}
              data={lifetimes.map((days) => ({ value: String(days ?? ''), label: days === null ? say.never : say.inDays(formats.number(days)) }))}
              {...form.getInputProps('days')}
            />
            <Button type="submit" mt={25} loading={making.isPending}>
              {say.make}
            </Button>
          </Group>
        </form>
        {making.data && (
          <Notice tone="good" title={say.madeTitle} role="status">
            <CodeBlock code={making.data.token} what={say.tokenOf(String(making.data.id))} />
          </Notice>
        )}
      </Stack>
    </Panel>
  )
}
