import { errors } from '@carillon/protocol/errors.ts'
import { CarillonError } from '@carillon/sdk/call.ts'
import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useEffect } from 'react'
import { useSignIn } from '../api/session.tsx'
import { useReason } from '../parts/failed.tsx'
import { Notice } from '../parts/notice.tsx'
import { useWords } from '../words/language.tsx'
import { Brand } from './brand.tsx'
import { LanguageChoice, ThemeChoice } from './choices.tsx'
import { frameWords } from './frame.words.ts'
import style from './sign-in.module.css'

/** The way in. The token goes to the server once and comes back as a cookie that no script can read. */
export const SignIn = ({ why }: { why?: 'expired' | 'ended' }) => {
  const say = useWords(frameWords)
  const signIn = useSignIn()
  const failure = useFailure()
  const needed = (value: string) => (value.trim() === '' ? say.isNeeded : null)
  const form = useForm({ initialValues: { app_id: '', token: '' }, validate: { app_id: needed, token: needed } })
  useEffect(() => {
    document.title = `${say.signInTitle} · Carillon`
  }, [say])
  return (
    <main className={style.ground}>
      <div className={style.card}>
        <div className={style.mark}>
          <Brand size={34} />
        </div>
        <h1 className={style.title}>{say.signInTitle}</h1>
        <p className={style.lead}>{say.signInLead}</p>
        {/* Nothing of it may end up in an address, even if a script fails: the form posts. */}
        <form
          method="post"
          noValidate
          onSubmit={form.onSubmit(({ app_id, token }) => signIn.mutate({ app_id: app_id.trim(), token: token.trim() }))}
        >
          <Stack gap="md">
            {signIn.isError ? (
              <Notice tone="bad" role="alert">
                {failure(signIn.error)}
              </Notice>
            ) : (
              why && (
                <Notice tone="warn" role="status">
                  {say[why]}
                </Notice>
              )
            )}
            <TextInput
              label={say.appId}
              autoComplete="username"
              autoCapitalize="none"
              spellCheck={false}
              data-autofocus
              {...form.getInputProps('app_id')}
            />
            <PasswordInput
              label={say.token}
              description={say.tokenHelp}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              autoComplete="current-password"
              {...form.getInputProps('token')}
            />
            <Button type="submit" fullWidth loading={signIn.isPending}>
              {say.signIn}
            </Button>
          </Stack>
        </form>
        <div className={style.choices}>
          <LanguageChoice />
          <ThemeChoice />
        </div>
      </div>
    </main>
  )
}

const useFailure = (): ((error: unknown) => string) => {
  const say = useWords(frameWords)
  const reason = useReason()
  return (error) => {
    if (!(error instanceof CarillonError)) return reason(error)
    switch (error.code) {
      case errors.tokenInvalid.code:
        return say.wrongToken
      case errors.tokenExpired.code:
        return say.tokenExpired
      case errors.appUnknown.code:
        return say.noSuchApp
      case errors.notAllowed.code:
        return say.notAdmin
      case errors.tooMany.code:
        return say.tooMany
      default:
        return reason(error)
    }
  }
}
