import { Button, Skeleton } from '@mantine/core'
import { Link, Outlet } from '@tanstack/react-router'
import { SignedIn, useDoor } from '../api/session.tsx'
import { Failed } from '../parts/failed.tsx'
import { Empty } from '../parts/panel.tsx'
import { useWords } from '../words/language.tsx'
import style from './frame.module.css'
import { frameWords } from './frame.words.ts'
import { Page } from './page.tsx'
import { Shell } from './shell.tsx'
import { SignIn } from './sign-in.tsx'

/** Who is signed in sees the page that was asked for; who is not, the way in. The address stays as it is. */
export const Whole = () => {
  const door = useDoor()
  if (door.isError) {
    return (
      <main className={style.main}>
        <Failed error={door.error} again={() => void door.refetch()} />
      </main>
    )
  }
  if (!door.data) return <main className={style.main} aria-busy="true" />
  if (!door.data.open) return <SignIn why={door.data.why} />
  return (
    <SignedIn session={door.data.session}>
      <Shell>
        <Outlet />
      </Shell>
    </SignedIn>
  )
}

/** While a page is on its way. */
export const Waiting = () => (
  <div className={style.page} aria-busy="true">
    <Skeleton height={28} width={180} />
    <Skeleton height={96} radius={12} />
    <Skeleton height={280} radius={12} />
  </div>
)

/** An address that leads nowhere. */
export const NotFound = () => {
  const say = useWords(frameWords)
  return (
    <Page title={say.notFoundTitle}>
      <Empty title={say.notFoundText} action={<Link to="/">{say.toOverview}</Link>} />
    </Page>
  )
}

/** A page that threw. The frame around it stays. */
export const Broke = ({ error }: { error: unknown }) => {
  const say = useWords(frameWords)
  return (
    <Page title={say.brokeTitle}>
      <Empty
        title={say.brokeText}
        action={
          <Button variant="default" onClick={() => location.reload()}>
            {say.reload}
          </Button>
        }
      >
        <code>{error instanceof Error ? error.message : String(error)}</code>
      </Empty>
    </Page>
  )
}
