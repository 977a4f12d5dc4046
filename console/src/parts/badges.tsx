import { type ChannelName, type TaskState, vendorOfProvider } from '@carillon/protocol/names.ts'
import type { ReactNode } from 'react'
import { useWords } from '../words/language.tsx'
import style from './badges.module.css'
import { partsWords } from './parts.words.ts'

/** What a colour says, everywhere on the page. */
export type Tone = 'plain' | 'good' | 'bad' | 'warn' | 'cool' | 'accent'

/** A word or two that say how something stands. The word carries the meaning; the colour only helps. */
export const Badge = ({
  tone = 'plain',
  dot = false,
  children,
}: {
  tone?: Tone
  dot?: boolean
  children: ReactNode
}) => (
  <span className={style.badge} data-tone={tone}>
    {dot && <span className={style.dot} aria-hidden="true" />}
    {children}
  </span>
)

/** A channel by the name people know it by; with the environment where that is not production. */
export const ChannelBadge = ({ channel, environment = 1 }: { channel: ChannelName; environment?: number }) => {
  const say = useWords(partsWords)
  return (
    <span className={style.channel} data-channel={channel}>
      <span className={style.mark} aria-hidden="true" />
      {say[channel]}
      {environment === 0 && <span className={style.aside}> · {say.development}</span>}
    </span>
  )
}

/** The same for one of the interface's provider numbers. */
export const ProviderBadge = ({ provider, environment }: { provider: number; environment?: number }) => {
  const channel = vendorOfProvider[provider]
  return channel ? <ChannelBadge channel={channel} environment={environment} /> : <Badge>{provider}</Badge>
}

const tones: Record<TaskState, Tone> = {
  accepted: 'cool',
  planning: 'cool',
  sending: 'accent',
  done: 'good',
  cancelled: 'plain',
  expired: 'warn',
}

/** How far a task is. */
export const StateBadge = ({ state }: { state: TaskState }) => (
  <Badge tone={tones[state]} dot>
    {useWords(partsWords)[state]}
  </Badge>
)
