import type { CertificatePut } from '@carillon/protocol/bodies.ts'
import type { CertificateForm } from '@carillon/protocol/certificate-forms.ts'

/** What was typed, by field; a dot in a field's name is a space here. */
export type Given = Record<string, string | boolean>

/** The record as the server takes it: blanks left out, choices as what they were, options together. */
export const certificateOf = (fields: CertificateForm['fields'], given: Given): Omit<CertificatePut, 'provider' | 'environment'> => {
  const record: Record<string, unknown> = {}
  const options: Record<string, unknown> = {}
  for (const { name, kind, values } of fields) {
    const typed = given[name.replaceAll('.', ' ')]
    if (typed === undefined || typed === false || (typeof typed === 'string' && typed.trim() === '')) continue
    const value = kind === 'choice' ? values.find((each) => String(each) === typed) : typed
    if (name.startsWith('options.')) options[name.slice('options.'.length)] = value
    else record[name] = value
  }
  return { ...record, ...(Object.keys(options).length > 0 && { options }) } as Omit<CertificatePut, 'provider' | 'environment'>
}
