import { ActionIcon, Drawer, Tooltip } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type ReactNode, useRef } from 'react'
import { useOverview } from '../api/live.ts'
import { useSession, useSignOut } from '../api/session.tsx'
import { Icon } from '../parts/icon.tsx'
import { useWords } from '../words/language.tsx'
import { Brand } from './brand.tsx'
import { LanguageChoice, ThemeChoice } from './choices.tsx'
import style from './frame.module.css'
import { frameWords } from './frame.words.ts'
import { BottomBar, Navigation } from './navigation.tsx'

/** What stands around every page: the way to the others, and the way out. */
export const Shell = ({ children }: { children: ReactNode }) => {
  const say = useWords(frameWords)
  const main = useRef<HTMLElement>(null)
  const [opened, drawer] = useDisclosure(false)
  const alarms = useOverview().data?.alarms.length ?? 0
  return (
    <div className={style.shell}>
      {/* Not a link: the address behind # is the page's. */}
      <button type="button" className={style.skip} onClick={() => main.current?.focus()}>
        {say.skip}
      </button>
      <header className={style.side}>
        <Brand />
        <AppName />
        <Navigation alarms={alarms} />
        <Foot />
      </header>
      <header className={style.top}>
        <Brand />
        <AppName />
      </header>
      <main className={style.main} ref={main} tabIndex={-1}>
        {children}
      </main>
      <BottomBar onMore={drawer.open} alarms={alarms} />
      <Drawer
        opened={opened}
        onClose={drawer.close}
        position="right"
        size={300}
        title={<Brand />}
      >
        <Navigation alarms={alarms} onGo={drawer.close} />
        <Foot />
      </Drawer>
    </div>
  )
}

const AppName = () => {
  const say = useWords(frameWords)
  const { session } = useSession()
  return (
    <p className={style.app}>
      <span className="unseen">{say.signedInTo} </span>
      <span className={style.appName}>{session.name}</span>
      {session.name !== session.app_id && <code className={style.appId}>{session.app_id}</code>}
    </p>
  )
}

const Foot = () => {
  const say = useWords(frameWords)
  const signOut = useSignOut()
  return (
    <div className={style.foot}>
      <a className={style.reference} href="/docs" target="_blank" rel="noreferrer">
        {say.reference}
      </a>
      <LanguageChoice />
      <ThemeChoice />
      <Tooltip label={say.signOut} withArrow>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={say.signOut}
          loading={signOut.isPending}
          onClick={() => signOut.mutate()}
        >
          <Icon name="signOut" />
        </ActionIcon>
      </Tooltip>
    </div>
  )
}
