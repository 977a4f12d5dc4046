import type { ChannelName } from '@carillon/protocol/names.ts'
import { Tabs } from '@mantine/core'
import { useDeferredValue, useState } from 'react'
import { Panel } from '../../parts/panel.tsx'
import { partsWords } from '../../parts/parts.words.ts'
import { useWords } from '../../words/language.tsx'
import { useChecked } from './asked.ts'
import { Changes } from './changes.tsx'
import style from './compose.module.css'
import { composeWords } from './compose.words.ts'
import { Phone } from './phone.tsx'
import { previewWords } from './preview.words.ts'
import { previewed, rowOf, seenOf, stateOf } from './seen.ts'
import { useComposing } from './use-draft.ts'

const saidOf = { unknown: undefined, fine: 'fine', changed: 'changed', 'not carried': 'notCarried' } as const

/** How it will look on each channel, and what becomes of it on the way. */
export const Preview = () => {
  const say = useWords(composeWords)
  const words = useWords(previewWords)
  const nameOf = useChannelName()
  const [channel, setChannel] = useState<ChannelName>('apns')
  const draft = useDeferredValue(useComposing((composing) => composing.draft))
  const { checked, isWaiting, error } = useChecked()
  return (
    <Panel title={say.looks}>
      <Tabs
        value={channel}
        onChange={(value) => setChannel(value as ChannelName)}
        variant="pills"
        keepMounted={false}
        classNames={{ tab: style.pill, list: style.pills }}
      >
        <Tabs.List aria-label={words.channels}>
          {previewed.map((each) => {
            const state = stateOf(rowOf(checked, each))
            const said = saidOf[state]
            return (
              <Tabs.Tab key={each} value={each} data-state={state}>
                {nameOf(each)}
                {state !== 'unknown' && <span className={style.stateMark} data-state={state} aria-hidden="true" />}
                {said && <span className="unseen">, {words[said]}</span>}
              </Tabs.Tab>
            )
          })}
        </Tabs.List>
        <Tabs.Panel value={channel} pt="md">
          <Phone channel={channel} name={nameOf(channel)} seen={seenOf(draft, channel, checked)} draft={draft} />
          <Changes row={rowOf(checked, channel)} isWaiting={isWaiting} error={error} channel={channel} />
        </Tabs.Panel>
      </Tabs>
    </Panel>
  )
}

/** People say iOS and Android, not APNs and FCM, when they think of what it looks like. */
const useChannelName = (): ((channel: ChannelName) => string) => {
  const parts = useWords(partsWords)
  const words = useWords(previewWords)
  return (channel) => (channel === 'apns' ? words.ios : channel === 'fcm' ? words.android : parts[channel])
}
