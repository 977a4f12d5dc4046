import type { CertificateForm } from '@carillon/protocol/certificate-forms.ts'
import { vendorOfProvider } from '@carillon/protocol/names.ts'
import type { Warning } from '@carillon/protocol/sentences/warnings.ts'
import { Button, Drawer, Group, NativeSelect, PasswordInput, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { fieldOf } from '../../api/failure.ts'
import { keys } from '../../api/keys.ts'
import { useSession } from '../../api/session.tsx'
import { useReason } from '../../parts/failed.tsx'
import { Notice } from '../../parts/notice.tsx'
import { partsWords } from '../../parts/parts.words.ts'
import { toastDone } from '../../parts/toasts.ts'
import { useWords } from '../../words/language.tsx'
import { useTold } from '../../words/told.ts'
import { certificatesWords } from '../certificates.words.ts'
import style from './certificates.module.css'
import type { Environment } from './environment.ts'
import { useFieldWords } from './field-words.ts'
import { type FileKind, readCredentialFile } from './read-file.ts'
import { certificateOf, type Given } from './request.ts'
import { warningWords } from './warning.words.ts'

interface Warned {
  text: string
  told: Warning | undefined
}

interface Props {
  form: CertificateForm | undefined
  environment: Environment
  /** There is one already, of which nothing is shown. */
  replaces: boolean
  onClose(): void
}

/** Asks for what one vendor needs; the fields and their words come from the server. */
export const FormDrawer = ({ form, environment, replaces, onClose }: Props) => {
  const say = useWords(certificatesWords)
  const names = useWords(partsWords)
  const title = form ? say.formTitle(names[vendorOfProvider[form.provider]!]) : ''
  return (
    <Drawer opened={form !== undefined} onClose={onClose} position="right" size="lg" title={title} closeButtonProps={{ 'aria-label': names.cancel }}>
      {form && <Fields key={`${form.provider} ${environment}`} form={form} environment={environment} replaces={replaces} onClose={onClose} />}
    </Drawer>
  )
}

const Fields = ({ form: { provider, fields }, environment, replaces, onClose }: Props & { form: CertificateForm }) => {
  const say = useWords(certificatesWords)
  const names = useWords(partsWords)
  const reason = useReason()
  const { caller } = useSession()
  const queries = useQueryClient()
  const [warnings, setWarnings] = useState<Warned[]>([])
  const [failure, setFailure] = useState('')
  const initial = Object.fromEntries(fields.map(({ name, kind }) => [idOf(name), kind === 'switch' ? false : ''])) as Given
  const form = useForm<Given>({
    initialValues: initial,
    validate: (values) =>
      Object.fromEntries(
        fields.filter(({ name, required }) => (required || name === 'name') && String(values[idOf(name)]).trim() === '').map(({ name }) => [idOf(name), say.isNeeded]),
      ),
  })
  const saving = useMutation({
    mutationFn: (given: Given) => caller.setCertificate({ provider, environment, ...certificateOf(fields, given) }),
    onSuccess: async ({ warnings: texts, told }) => {
      await queries.invalidateQueries({ queryKey: keys.certificates })
      toastDone(say.saved)
      form.setValues(initial) // no secret stays in the page
      if (texts.length === 0) onClose()
      else setWarnings(texts.map((text, i) => ({ text, told: told[i] })))
    },
    onError: (error) => {
      const field = fieldOf(error)
      const known = fields.find(({ name }) => name === field)
      if (known) form.setFieldError(idOf(known.name), reason(error))
      else setFailure(reason(error))
    },
    meta: { quiet: true },
  })
  if (warnings.length > 0) return <Warned warnings={warnings} onClose={onClose} />
  return (
    <form noValidate autoComplete="off" onSubmit={form.onSubmit((values) => saving.mutate(values))}>
      <Stack>
        {replaces && <Notice tone="cool">{say.replaceNote}</Notice>}
        {failure !== '' && (
          <Notice tone="bad" role="alert">
            {failure}
          </Notice>
        )}
        {fields.map((field) => (
          <Field key={field.name} field={field} input={form.getInputProps(idOf(field.name), { type: field.kind === 'switch' ? 'checkbox' : 'input' })} onText={(text) => form.setFieldValue(idOf(field.name), text)} />
        ))}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {names.cancel}
          </Button>
          <Button type="submit" loading={saving.isPending}>
            {say.save}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** It is stored; what may be amiss stands alone, without a form that looks as if nothing had happened. */
const Warned = ({ warnings, onClose }: { warnings: Warned[]; onClose(): void }) => {
  const say = useWords(certificatesWords)
  const sentence = useTold(warningWords)
  return (
    <Stack>
      <Notice tone="warn" title={say.warnings} role="status">
        <ul className={style.list}>
          {warnings.map(({ text, told }) => (
            <li key={text}>{sentence(told, text)}</li>
          ))}
        </ul>
      </Notice>
      <Group justify="flex-end">
        <Button onClick={onClose} data-autofocus>
          {say.understood}
        </Button>
      </Group>
    </Stack>
  )
}

/** Dots mean depth to the form library. */
const idOf = (name: string): string => name.replaceAll('.', ' ')

interface FieldProps {
  field: CertificateForm['fields'][number]
  input: object
  onText(text: string): void
}

const Field = ({ field, input, onText }: FieldProps) => {
  const say = useWords(certificatesWords)
  const { title, help } = useFieldWords()(field)
  const isOwnName = field.name === 'name' && !field.required
  const label = isOwnName ? say.name : title
  const required = field.required || field.name === 'name'
  const shown = { label, description: isOwnName ? say.nameHelp : help, required, withAsterisk: required, ...input }
  if (field.kind === 'switch') return <Switch label={label} description={help} {...input} />
  if (field.kind === 'choice') {
    return <NativeSelect {...shown} data={[{ value: '', label: say.none }, ...field.values.map((value) => ({ value: String(value), label: String(value) }))]} />
  }
  if (field.multiline) {
    return (
      <div>
        <Textarea {...shown} autosize minRows={4} maxRows={10} spellCheck={false} autoComplete="off" />
        <FileDrop onText={onText} />
      </div>
    )
  }
  return field.secret ? <PasswordInput {...shown} autoComplete="off" /> : <TextInput {...shown} autoComplete="off" spellCheck={false} />
}

const FileDrop = ({ onText }: { onText(text: string): void }) => {
  const say = useWords(certificatesWords)
  const [kind, setKind] = useState<FileKind>()
  const take = async (file: File | undefined): Promise<void> => {
    if (!file) return
    const read = readCredentialFile(new Uint8Array(await file.arrayBuffer()))
    setKind(read.kind)
    onText(read.text)
  }
  return (
    <label className={style.drop}>
      <input type="file" accept=".p8,.p12,.pem,.json,.txt" aria-label={say.fromFile} onChange={({ currentTarget }) => void take(currentTarget.files?.[0])} />
      <span role="status">{kind ? say[kind] : say.dropHere}</span>
    </label>
  )
}
