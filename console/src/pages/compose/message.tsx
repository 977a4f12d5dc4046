import { messageTypes, type MessageType } from '@carillon/protocol/names.ts'
import type { Carried } from '@carillon/protocol/push-answers.ts'
import { SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { Panel } from '../../parts/panel.tsx'
import { partsWords } from '../../parts/parts.words.ts'
import { useLanguage, useWords } from '../../words/language.tsx'
import { useChecked } from './asked.ts'
import { Attachment } from './attachment.tsx'
import style from './compose.module.css'
import { composeWords } from './compose.words.ts'
import { LineField, TextField, useField, useProblem } from './field.tsx'
import { fieldWords } from './field.words.ts'
import type { FieldPath } from './fields.ts'
import { parseText, writeText } from './json-text.ts'
import { MomentField } from './moment-field.tsx'

const wordOf = { text: 'typeText', image: 'typeImage', cmd: 'typeCmd' } as const

/** What it says. */
export const MessagePanel = () => {
  const say = useWords(composeWords)
  const name = useWords(fieldWords)
  const type = useField('message.type')
  const problem = useProblem('message')
  const chosen = (type.value || 'text') as MessageType
  return (
    <Panel title={say.what}>
      <Stack gap="md">
        <div>
          <SegmentedControl
            fullWidth
            aria-label={name.type}
            value={chosen}
            onChange={(value) => type.set(value === 'text' ? '' : value)}
            data={messageTypes.map((value) => ({ value, label: name[wordOf[value]] }))}
          />
          <Text size="xs" c="dimmed" mt={6}>
            {name[`${wordOf[chosen]}Help`]}
          </Text>
        </div>
        <LineField path="message.title" label={name.title} below={<Length path="message.title" />} />
        <TextField path="message.body" label={name.body} below={<Length path="message.body" />} rows={3} />
        {problem && (
          <p className={style.problem} role="alert">
            {problem}
          </p>
        )}
        <TextField path="message.big_text" label={name.big_text} help={name.big_textHelp} />
        <Attachment />
        <Badge isCmd={chosen === 'cmd'} />
        <Data />
        <fieldset className={style.group}>
          <legend className={style.legend}>{name.showTimes}</legend>
          <div className={style.pair}>
            <MomentField path="message.show_begin_time" label={name.show_begin_time} help={name.showTimesHelp} />
            <MomentField path="message.show_end_time" label={name.show_end_time} help={name.showTimesHelp} />
          </div>
        </fieldset>
      </Stack>
    </Panel>
  )
}

/** How long a text is, and who cuts it. */
const Length = ({ path }: { path: FieldPath }) => {
  const name = useWords(fieldWords)
  const vendors = useWords(partsWords)
  const { formats } = useLanguage()
  const length = Array.from(useField(path).value).length
  const { checked } = useChecked()
  const isCut = ({ carries, cut }: Carried): boolean => carries && cut.some(({ field }) => field === path)
  const cutters = checked?.rows.filter(isCut).map(({ vendor }) => vendors[vendor]) ?? []
  if (length === 0) return null
  return (
    <>
      {name.characters(length, formats.number(length))}
      {cutters.length > 0 && <span className={style.cutBy}> · {name.cutBy(cutters.join(name.comma))}</span>}
    </>
  )
}

/** A badge is written in two ways that mean different things, so it is said what it means. */
const Badge = ({ isCmd }: { isCmd: boolean }) => {
  const name = useWords(fieldWords)
  const { value, set, input } = useField('message.badge')
  const [, sign, digits] = /^\s*(\+?)(\d{1,9})\s*$/.exec(value) ?? []
  const meaning = () => {
    if (digits === undefined)
      return value.trim() === '' ? (isCmd ? name.badgeDefaultCmd : name.badgeDefault) : undefined
    if (sign) return name.badgeAdds(String(Number(digits)))
    return Number(digits) === 0 ? name.badgeClears : name.badgeSets(String(Number(digits)))
  }
  return (
    <TextInput
      {...input}
      label={name.badge}
      description={meaning()}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      placeholder="+1"
      value={value}
      onChange={(event) => set(event.currentTarget.value)}
      autoComplete="off"
      className={style.narrow}
    />
  )
}

/** Data are JSON: set out tidily as soon as one leaves the field, and a mistake is told with its place. */
const Data = () => {
  const name = useWords(fieldWords)
  const { value, set, input } = useField('message.ext')
  const leave = () => {
    input.onBlur()
    const parsed = parseText(value)
    if ('value' in parsed) set(writeText(parsed.value))
  }
  return (
    <Textarea
      {...input}
      label={name.ext}
      description={name.extHelp}
      placeholder='{ "order": 1042 }'
      value={value}
      onBlur={leave}
      onChange={(event) => set(event.currentTarget.value)}
      autosize
      minRows={2}
      maxRows={14}
      spellCheck={false}
      autoComplete="off"
      classNames={{ input: style.code }}
    />
  )
}
