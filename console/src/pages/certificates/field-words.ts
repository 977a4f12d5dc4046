import type { CertificateForm } from '@carillon/protocol/certificate-forms.ts'
import { useLanguage } from '../../words/language.tsx'

type FormField = CertificateForm['fields'][number]

/** What a field is called and where to find it: the server says it in each language, since only its vendor does. */
export const useFieldWords = (): ((field: FormField) => { title: string; help: string }) => {
  const { language } = useLanguage()
  return (field) => (language === 'zh' ? field.zh : field)
}
