import { ActionIcon, type MantineColorScheme, Menu, Tooltip, useMantineColorScheme } from '@mantine/core'
import { useState } from 'react'
import { Icon } from '../parts/icon.tsx'
import { type Language, languages } from '../words/dictionary.ts'
import { useLanguage, useWords } from '../words/language.tsx'
import { frameWords } from './frame.words.ts'

/** Each language by its own name: who needs it can read that. */
const names: Record<Language, { name: string; tag: string }> = {
  en: { name: 'English', tag: 'en' },
  zh: { name: '简体中文', tag: 'zh-Hans' },
}

/** Chooses the language of the page. */
export const LanguageChoice = () => {
  const say = useWords(frameWords)
  const { language, speak } = useLanguage()
  return (
    <Choice
      icon="globe"
      label={say.language}
      chosen={language}
      options={languages.map((each) => ({ value: each, text: names[each].name, lang: names[each].tag }))}
      onChoose={speak}
    />
  )
}

const schemes: readonly MantineColorScheme[] = ['light', 'dark', 'auto']

/** Chooses light, dark, or what the system has. */
export const ThemeChoice = () => {
  const say = useWords(frameWords)
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Choice
      icon="theme"
      label={say.theme}
      chosen={colorScheme}
      options={schemes.map((value) => ({ value, text: say[value] }))}
      onChoose={setColorScheme}
    />
  )
}

interface Choice<V extends string> {
  icon: 'globe' | 'theme'
  label: string
  chosen: V
  options: { value: V; text: string; lang?: string }[]
  onChoose(value: V): void
}

const Choice = <V extends string>({ icon, label, chosen, options, onChoose }: Choice<V>) => {
  const [opened, setOpened] = useState(false)
  return (
    <Menu opened={opened} onChange={setOpened} position="top-start" loop>
      <Menu.Target>
        <Tooltip label={label} withArrow disabled={opened}>
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label={label}>
            <Icon name={icon} />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown aria-label={label}>
        <Menu.RadioGroup value={chosen} onChange={(value) => onChoose(value as V)}>
          {options.map(({ value, text, lang }) => (
            <Menu.RadioItem key={value} value={value} lang={lang} closeMenuOnClick>
              {text}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  )
}
