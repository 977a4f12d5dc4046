import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { Icon } from './icon.tsx'

const TYPING_MS = 300

interface Search {
  label: string
  description?: string
  maxLength: number
  /** What is searched for now; it may change from outside, by the way back or a link. */
  value: string
  onSearch(text: string): void
}

/** A text that is searched for when typing pauses, or at once with Enter. */
export const SearchField = ({ label, description, maxLength, value, onSearch }: Search) => {
  const [typed, setTyped] = useState(value)
  const asked = useRef(value)
  const search = (text: string): void => {
    if (asked.current === text.trim()) return
    asked.current = text.trim()
    onSearch(asked.current)
  }
  const { history } = useRouter()
  const pause = useDebouncedCallback((text: string, page: string) => {
    // A page that was left stays until the next one has come; a search would lead back to it.
    if (history.location.pathname === page) search(text)
  }, TYPING_MS)
  useEffect(() => {
    // Its own search comes back as well; that must not undo what was typed since.
    if (value === asked.current) return
    asked.current = value
    setTyped(value)
  }, [value])
  return (
    <TextInput
      type="search"
      label={label}
      description={description}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      leftSection={<Icon name="search" size={16} />}
      maxLength={maxLength}
      spellCheck={false}
      autoComplete="off"
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value)
        pause(currentTarget.value, history.location.pathname)
      }}
      onKeyDown={({ key }) => {
        if (key === 'Enter') search(typed)
      }}
    />
  )
}
