import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Page } from '../frame/page.tsx'
import { useWords } from '../words/language.tsx'
import { Audience } from './compose/audience.tsx'
import style from './compose/compose.module.css'
import { composeWords } from './compose/compose.words.ts'
import { Delivery } from './compose/delivery.tsx'
import { hasContent } from './compose/draft.ts'
import { MessagePanel } from './compose/message.tsx'
import { Origin } from './compose/origin.tsx'
import { Platforms } from './compose/platforms.tsx'
import { Preview } from './compose/preview.tsx'
import { RequestDrawer } from './compose/request-drawer.tsx'
import { Result } from './compose/result.tsx'
import { SendBar } from './compose/send-bar.tsx'
import { useComposing, useDraftStore } from './compose/use-draft.ts'

/** Writes a notification and sends it: who, what, how it looks. */
export const ComposePage = () => {
  const say = useWords(composeWords)
  const store = useDraftStore()
  const [shown, drawer] = useDisclosure(false)
  const isWritten = useComposing(({ draft }) => hasContent(draft))
  return (
    <Page
      title={say.title}
      lead={say.lead}
      actions={
        <>
          <Button variant="default" disabled={!isWritten} onClick={() => store.startOver()}>
            {say.startOver}
          </Button>
          <Button variant="default" onClick={drawer.open} aria-haspopup="dialog">
            {say.request}
          </Button>
        </>
      }
    >
      <Origin />
      <Result />
      <div className={style.columns}>
        <div className={style.who}>
          <Audience />
        </div>
        <div className={style.what}>
          <MessagePanel />
          <Platforms />
        </div>
        <div className={style.how}>
          <Delivery />
        </div>
        <div className={style.looks}>
          <Preview />
        </div>
      </div>
      <SendBar />
      <RequestDrawer opened={shown} onClose={drawer.close} />
    </Page>
  )
}
