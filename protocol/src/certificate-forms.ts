import type { Static } from 'typebox'
import { Id, Rows, Words } from './answer-types.ts'
import { Type } from './type.ts'
import { OneOf } from './types.ts'

/** What a person is asked for to make a certificate: the schemas of `data`. */

const FormField = Type.Object(
  {
    name: Words('Where the value goes: `app_id` and so on, or `options.x`.'),
    title: Words("What the provider's own console calls it."),
    help: Words('Where to find it, and when it is needed.'),
    zh: Type.Object({ title: Type.String(), help: Type.String() }, { description: 'Title and help in Chinese.' }),
    required: Type.Boolean(),
    secret: Type.Boolean({ description: 'It is sealed and never shown again.' }),
    multiline: Type.Boolean({ description: 'The text of a file, rather than a word.' }),
    kind: OneOf(['text', 'choice', 'switch']),
    values: Type.Unsafe<(string | number)[]>({
      type: 'array', items: { type: ['string', 'number'] }, description: 'Of a choice: what may be chosen.',
    }),
  },
  { title: 'FormField' },
)

export const CertificateForm = Type.Object(
  {
    provider: Id('The provider.'),
    vendor: Words('The name of its channel.'),
    title: Words('What people call it.'),
    reports: Type.Boolean({ description: 'It reports deliveries to an address of ours.' }),
    fields: Rows(FormField),
  },
  { title: 'CertificateForm' },
)
export type CertificateForm = Static<typeof CertificateForm>
export const CertificateForms = Rows(CertificateForm)
