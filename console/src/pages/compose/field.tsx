import { NativeSelect, Textarea, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { useReason } from '../../parts/failed.tsx'
import { useWords } from '../../words/language.tsx'
import type { Problem } from './check.ts'
import style from './compose.module.css'
import { valueOf } from './draft.ts'
import { problemAt, type Refusal } from './draft-store.ts'
import { fieldWords } from './field.words.ts'
import type { FieldPath } from './fields.ts'
import { useComposing, useDraftStore } from './use-draft.ts'

/** What is wrong, in a sentence. */
export const useSentence = (): ((problem: Problem | Refusal | undefined) => string | undefined) => {
  const say = useWords(fieldWords)
  const reason = useReason()
  return (problem) => {
    if (!problem) return undefined
    if ('error' in problem) return reason(problem.error)
    const { kind, with: said = '' } = problem
    if (kind === 'notJson') {
      const [, line, column, what] = /^(\d+):(\d+) (.*)$/s.exec(said)!
      return say.notJson(line!, column!, what!)
    }
    const sentence: string | ((value: string) => string) = say[kind]
    return typeof sentence === 'string' ? sentence : sentence(said)
  }
}

/** What is to be said at a place of the draft. */
export const useProblem = (path: string): string | undefined => {
  const sentence = useSentence()
  return sentence(useComposing((composing) => problemAt(path, composing)))
}

/** One field of the draft: what it holds, and what an input needs to hold it. The id is its path. */
export const useField = (path: FieldPath) => {
  const store = useDraftStore()
  const value = useComposing(({ draft }) => valueOf(draft, path))
  const error = useProblem(path)
  return {
    value,
    set: (text: string) => store.setValue(path, text),
    input: { id: path, error, onBlur: () => store.touch(path) },
  }
}

interface Named {
  path: FieldPath
  label: string
  help?: ReactNode
}

/** What there is to say of what is written stands under the field, what it is for above it. */
const described = (help: ReactNode, below: ReactNode) =>
  below === undefined
    ? { description: help }
    : {
        description: below,
        inputWrapperOrder: ['label', 'input', 'description', 'error'] as (
          'label' | 'input' | 'description' | 'error'
        )[],
      }

/** A line of text. */
export const LineField = ({ path, label, help, below }: Named & { below?: ReactNode }) => {
  const { value, set, input } = useField(path)
  return (
    <TextInput
      {...input}
      label={label}
      {...described(help, below)}
      value={value}
      onChange={(event) => set(event.currentTarget.value)}
      autoComplete="off"
    />
  )
}

/** Text of several lines, as high as it needs. */
export const TextField = ({
  path,
  label,
  help,
  below,
  rows = 2,
  code = false,
}: Named & { below?: ReactNode; rows?: number; code?: boolean }) => {
  const { value, set, input } = useField(path)
  return (
    <Textarea
      {...input}
      label={label}
      {...described(help, below)}
      value={value}
      onChange={(event) => set(event.currentTarget.value)}
      autosize
      minRows={rows}
      maxRows={14}
      spellCheck={!code}
      autoComplete="off"
      classNames={code ? { input: style.code } : undefined}
    />
  )
}

/** One of a few. The first is what blank means, and what the field holds when that is written out. */
export const ChoiceField = ({
  path,
  label,
  help,
  options,
  blank,
}: Named & { options: { value: string; label: string }[]; blank: string }) => {
  const { value, set, input } = useField(path)
  return (
    <NativeSelect
      {...input}
      label={label}
      description={help}
      value={options.some((option) => option.value === value) ? value : ''}
      onChange={(event) => set(event.currentTarget.value)}
      data={[{ value: '', label: blank }, ...options]}
    />
  )
}
