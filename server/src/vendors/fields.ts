import { isOptional } from '@carillon/protocol/type.ts'
import type { TObject, TSchema } from 'typebox'
import { fieldNames } from './vendor.ts'
import type { Wording } from './credentials.ts'
import type { Checked, FieldName, Fields, Problem, Vendor } from './vendor.ts'

/** A record as it comes from outside. */
export type GivenFields = { [name in FieldName | 'options']?: unknown }

const UNKNOWN_SHOWN = 5

const isBlank = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === 'string' && value.trim() === '') ||
  (typeof value === 'object' && Object.keys(value).length === 0)

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const schemaOf = (object: TObject, key: string): (TSchema & Wording) | undefined =>
  Object.hasOwn(object.properties, key) ? (object.properties[key] as TSchema & Wording) : undefined

/** What of a schema made in credentials.ts is to be held against. */
interface Shape extends Wording {
  type?: string
  enum?: readonly unknown[]
  maxLength?: number
}

const fits = ({ type, enum: values, pattern, maxLength = Infinity }: Shape, value: unknown): boolean => {
  if (values) return values.includes(value)
  if (typeof value !== 'string') return typeof value === type
  return type === 'string' && Array.from(value).length <= maxLength && (pattern === undefined || new RegExp(pattern, 'u').test(value))
}

/** Holds one value against its schema. Whether it holds is the answer; an unusual one holds. */
const holds = (path: string, schema: TSchema & Wording, value: unknown, found: Checked): boolean => {
  if (!fits(schema as Shape, value)) {
    found.problems.push({ field: path, expected: `must ${schema.must}` })
    return false
  }
  const { usual, title } = schema
  if (usual && typeof value === 'string' && !new RegExp(usual.pattern).test(value)) {
    found.warnings.push({ name: 'unusual', values: { field: path, title, usual: usual.words } })
  }
  return true
}

const checkOptions = (vendor: Vendor, given: unknown, found: Checked): Record<string, unknown> => {
  if (isBlank(given)) return {}
  if (!isRecord(given)) {
    found.problems.push({ field: 'options', expected: 'must be an object' })
    return {}
  }
  const options: Record<string, unknown> = {}
  const unknown: string[] = []
  for (const [key, value] of Object.entries(given)) {
    const schema = schemaOf(vendor.options, key)
    if (!schema) unknown.push(key)
    else if (!isBlank(value) && holds(`options.${key}`, schema, value, found)) options[key] = value
  }
  if (unknown.length > 0) {
    const shown = unknown.slice(0, UNKNOWN_SHOWN).map((key) => key.slice(0, 64))
    const more = unknown.length > shown.length ? ` and ${unknown.length - shown.length} more` : ''
    const known = Object.keys(vendor.options.properties).join(', ') || 'none'
    const values = { options: shown.join(', ') + more, title: vendor.title, known }
    found.warnings.push({ name: 'unknown_options', values })
  }
  return options
}

/** Presence and shape of every field, as the vendor's schemas say. A field with a problem is '' in `fields`. */
export const checkFields = (vendor: Vendor, given: GivenFields): { fields: Fields; found: Checked } => {
  const found: Checked = { problems: [], warnings: [], expiresAt: null }
  const fields: Fields = { app_id: '', app_key: '', app_secret: '', certificate: '', name: '', options: {} }
  for (const name of fieldNames) {
    const schema = schemaOf(vendor.credentials, name)
    const value = given[name]
    if (isBlank(value)) {
      if (schema && !isOptional(schema)) found.problems.push(blank(name, schema, vendor))
    } else if (!schema) {
      found.warnings.push({ name: 'unused', values: { field: name, title: vendor.title } })
    } else if (holds(name, schema, value, found)) {
      fields[name] = value as string
    }
  }
  if (fields.app_secret !== '' && (fields.app_secret === fields.app_key || fields.app_secret === fields.app_id)) {
    found.warnings.push({ name: 'pasted_twice', values: { field: 'app_secret' } })
  }
  fields.options = checkOptions(vendor, given.options, found)
  return { fields, found }
}

const blank = (field: FieldName, { title }: Wording, vendor: Vendor): Problem => ({
  field,
  expected: `must not be blank: it is the ${title} of ${vendor.title}`,
})
