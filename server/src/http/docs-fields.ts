import { html, type Markup, prose } from './html.ts'
import type { JsonSchema } from './json-schema.ts'

export interface Field {
  name: string
  required: boolean
  schema: JsonSchema
}

type Components = Record<string, JsonSchema>

/** The last part of a pointer: the component's name. */
export const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)

export const idOfObject = (name: string): string => `object-${name}`

/** A schema that points elsewhere, as what it points at. */
export const resolve = (schema: JsonSchema, components: Components): JsonSchema =>
  schema.$ref === undefined ? schema : { ...components[nameOf(schema.$ref)]!, ...schema }

/** The fields of an object, those of objects without a name of their own by their path. */
export const fieldsOf = (schema: JsonSchema, components: Components, prefix = ''): Field[] => {
  const { properties = {}, required = [] } = resolve(schema, components)
  return Object.entries(properties).flatMap(([key, property]) => {
    const field = { name: prefix + key, required: required.includes(key), schema: property }
    const inner = innerOf(property)
    return inner ? [field, ...fieldsOf(inner.schema, components, `${prefix}${key}${inner.suffix}`)] : [field]
  })
}

const innerOf = (schema: JsonSchema): { schema: JsonSchema; suffix: string } | undefined => {
  if (schema.properties) return { schema, suffix: '.' }
  if (schema.items?.properties) return { schema: schema.items, suffix: '[].' }
  const branch = schema.anyOf?.find(({ properties }) => properties)
  return branch && { schema: branch, suffix: '.' }
}

/** A table of fields: name and type, then what it means and its limits. */
export const fieldTable = (fields: readonly Field[], must = true): Markup =>
  html`<table class="fields">
<tbody>${fields.map(
    ({ name, required, schema }) => html`
<tr><th scope="row"><code>${name.split('.').map((part, i) => (i > 0 ? html`.<wbr>${part}` : part))}</code>${must && required && html` <span class="required">required</span>`}</th>
<td><span class="type">${typeOf(schema)}</span>${schema.description !== undefined && html`<p>${prose(schema.description)}</p>`}${limits(schema)}</td></tr>`,
  )}
</tbody></table>`

const typeOf = (schema: JsonSchema): Markup => {
  const { $ref, type, format, items, anyOf, const: only } = schema
  if ($ref !== undefined) return html`<a href="#${idOfObject(nameOf($ref))}">${nameOf($ref)}</a>`
  if (anyOf) return html`${anyOf.map((branch, i) => html`${i > 0 && ' or '}${typeOf(branch)}`)}`
  if (only !== undefined) return html`<code>${String(only)}</code>`
  if (items) return html`list of ${typeOf(items)}`
  return html`${[type ?? 'any'].flat().join(' or ')}${format !== undefined && html` <span class="format">${format}</span>`}`
}

const limits = (schema: JsonSchema): Markup | false => {
  const { enum: values, minimum, maximum, maxLength, minItems, maxItems, pattern, items, default: fallback } = schema
  const told = [
    values && html`one of ${values.map((value, i) => html`${i > 0 && ', '}<code>${String(value)}</code>`)}`,
    minimum !== undefined && maximum !== undefined && html`${grouped(minimum)} to ${grouped(maximum)}`,
    minimum !== undefined && maximum === undefined && html`${grouped(minimum)} or more`,
    maxLength !== undefined && html`at most ${grouped(maxLength)} characters`,
    maxItems !== undefined && html`${minItems ?? 0} to ${grouped(maxItems)} items`,
    items?.maxLength !== undefined && html`each at most ${grouped(items.maxLength)} characters`,
    items?.enum && html`each one of ${items.enum.map((value, i) => html`${i > 0 && ', '}<code>${String(value)}</code>`)}`,
    pattern !== undefined && html`pattern <code>${pattern}</code>`,
    fallback !== undefined && fallback !== Number.MAX_SAFE_INTEGER && html`default <code>${JSON.stringify(fallback)}</code>`,
  ].filter((limit) => limit !== false && limit !== undefined)
  return told.length > 0 && html`<ul class="limits">${told.map((limit) => html`<li>${limit}</li>`)}</ul>`
}

/** Large numbers are read in groups; a limit that only says "what a number can hold" is said so. */
const grouped = (value: number): string => (value === Number.MAX_SAFE_INTEGER ? '2^53 − 1' : value.toLocaleString('en'))
