import { call } from '@carillon/sdk/call.ts'
import { Button, PasswordInput, SegmentedControl, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useSession } from '../../api/session.tsx'
import { browserGuid, connectBrowser, type Login } from '../../device/browser-device.ts'
import { useReason } from '../../parts/failed.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useWords } from '../../words/language.tsx'
import { browserWords } from '../browser.words.ts'
import style from './browser.module.css'

type Way = 'asUser' | 'byId'

/** A login that names this browser as its device. */
export const LogIn = () => {
  const say = useWords(browserWords)
  const reason = useReason()
  const { session, caller } = useSession()
  const [way, setWay] = useState<Way>('byId')
  const needed = (value: string) => (value.trim() === '' ? say.isNeeded : null)
  const form = useForm({
    initialValues: { login_name: '', password: '', user_id: '' },
    validate: {
      login_name: (value) => (way === 'asUser' ? needed(value) : null),
      password: (value) => (way === 'asUser' ? needed(value) : null),
      user_id: (value) => (way === 'byId' && !/^\s*[1-9]\d*\s*$/.test(value) ? say.isNumber : null),
    },
  })
  const connecting = useMutation({
    mutationFn: async ({ login_name, password, user_id }: typeof form.values) => {
      const device_guid = browserGuid()
      const login: Login =
        way === 'byId'
          ? await caller.tokenFor(BigInt(user_id.trim()), device_guid)
          : await call<Login>({ url: location.origin, appId: session.app_id }, '/token/login', { body: { login_name: login_name.trim(), password, device_guid } })
      await connectBrowser(session.app_id, login)
    },
    meta: { quiet: true },
  })
  return (
    <Panel title={say.connect}>
      <form noValidate className={style.login} onSubmit={form.onSubmit((values) => connecting.mutate(values))}>
        <Stack>
          <SegmentedControl
            aria-label={say.how}
            value={way}
            onChange={(value) => setWay(value as Way)}
            data={[
              { value: 'byId', label: say.byId },
              { value: 'asUser', label: say.asUser },
            ]}
          />
          {connecting.isError && (
            <Notice tone="bad" role="alert">
              {reason(connecting.error)}
            </Notice>
          )}
          {way === 'byId' ? (
            <TextInput label={say.userId} description={say.userIdHelp} inputMode="numeric" {...form.getInputProps('user_id')} />
          ) : (
            <>
              <TextInput label={say.loginName} description={say.loginNameHelp} autoComplete="off" {...form.getInputProps('login_name')} />
              <PasswordInput label={say.password} autoComplete="off" {...form.getInputProps('password')} />
            </>
          )}
          <Button type="submit" loading={connecting.isPending}>
            {say.connect}
          </Button>
        </Stack>
      </form>
    </Panel>
  )
}
