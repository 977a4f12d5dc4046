import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { useWords } from '../words/language.tsx'
import { Icon } from './icon.tsx'
import { partsWords } from './parts.words.ts'

const SAYS_SO_MS = 1_500

interface Copy {
  /** What is copied. */
  text: string
  /** What it is, in words: for those who only hear the button. */
  what: string
  /** Shows words beside the picture. */
  wide?: boolean
}

/** Puts a text on the clipboard and says that it did. */
export const CopyButton = ({ text, what, wide = false }: Copy) => {
  const say = useWords(partsWords)
  const { copied, copy } = useClipboard({ timeout: SAYS_SO_MS })
  const icon = <Icon name={copied ? 'check' : 'copy'} size={16} />
  const label = copied ? say.copied : say.copyThis(what)
  if (wide) {
    return (
      <Button variant="default" size="xs" leftSection={icon} onClick={() => copy(text)} aria-label={label}>
        {copied ? say.copied : say.copy}
      </Button>
    )
  }
  return (
    <Tooltip label={label} withArrow>
      <ActionIcon variant="subtle" color="gray" size="sm" onClick={() => copy(text)} aria-label={label}>
        {icon}
      </ActionIcon>
    </Tooltip>
  )
}
