import type { TObject, TSchema } from 'typebox'
import { providerOfVendor } from '@carillon/protocol/names.ts'
import { isOptional } from '@carillon/protocol/type.ts'
import type { Wording } from './credentials.ts'
import { fieldNames } from './vendor.ts'
import { vendors } from './vendors.ts'

/** One value of a certificate, as a form asks for it. */
export interface FormField {
  /** `app_id` … or `options.x`. */
  name: string
  title: string
  help: string
  zh: { title: string; help: string }
  required: boolean
  secret: boolean
  multiline: boolean
  kind: 'text' | 'choice' | 'switch'
  values: (string | number)[]
}

export interface VendorForm {
  provider: number
  vendor: string
  title: string
  /** Whether it reports deliveries to an address of ours. */
  reports: boolean
  fields: FormField[]
}

/** What is never shown again, whoever's it is; an option says so itself. */
const SECRETS = new Set(['app_secret', 'certificate'])

const fieldsOf = (object: TObject, names: readonly string[], prefix = ''): FormField[] =>
  names.flatMap((name) => {
    const schema = object.properties[name] as (TSchema & Wording & { enum?: (string | number)[]; type?: string }) | undefined
    if (!schema) return []
    const kind = schema.type === 'boolean' ? 'switch' : schema.enum ? 'choice' : 'text'
    return {
      name: prefix + name,
      title: schema.title,
      help: schema.description,
      zh: { title: schema.title, ...schema.zh },
      required: !isOptional(schema),
      secret: SECRETS.has(name) || schema.secret === true,
      multiline: name === 'certificate',
      kind,
      values: schema.enum ?? [],
    }
  })

/** The forms for all vendors' certificates, drawn from the schemas that judge them. */
export const certificateForms = (): VendorForm[] =>
  Object.values(vendors)
    .map((vendor) => ({
      provider: providerOfVendor[vendor.name],
      vendor: vendor.name,
      title: vendor.title,
      reports: vendor.receipts !== undefined,
      fields: [
        ...fieldsOf(vendor.credentials, fieldNames),
        ...fieldsOf(vendor.options, Object.keys(vendor.options.properties), 'options.'),
      ],
    }))
    .sort((a, b) => a.provider - b.provider)
