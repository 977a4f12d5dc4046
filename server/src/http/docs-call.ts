import { fieldsOf, fieldTable, nameOf } from './docs-fields.ts'
import { html, type Markup, prose } from './html.ts'
import type { OpenApi, Operation, Parameter } from './openapi-document.ts'

/** One call of the API, as the page shows it. */
export interface Entry {
  path: string
  method: string
  operation: Operation
  /** Other methods that do the same. */
  also: string[]
}

export const idOfCall = ({ operation }: Entry): string => operation.operationId

const whoMay: Record<string, string> = {
  nobody: 'Anybody; no header is needed.',
  app: 'Anybody who names the app. access-token is ignored.',
  any: 'Any access token, in any scope.',
  admin: 'An admin token, without group_id and user_id.',
  user: "As one user: the user's own token, or an admin token with user_id.",
}

export const callSection = (entry: Entry, api: OpenApi): Markup => {
  const { path, method, operation, also } = entry
  const parameters = parametersOf(operation, api)
  const own = parameters.filter(({ in: place }) => place !== 'header')
  const headers = parameters.filter(({ in: place }) => place === 'header')
  const body = operation.requestBody?.content['application/json']
  return html`<article id="${idOfCall(entry)}" class="call">
<h3><a href="#${idOfCall(entry)}"><span class="method ${method}">${method}</span> <code>${path.split('/').map((part, i) => (i > 0 ? html`/<wbr>${part}` : part))}</code></a></h3>
<div class="told">
<p class="summary">${prose(operation.summary)}</p>
${operation.description !== undefined && html`<p>${prose(operation.description)}</p>`}
${operation['x-who'] && html`<p class="who"><strong>Who may call:</strong> ${whoMay[operation['x-who']]}</p>`}
${also.length > 0 && html`<p class="who"><strong>Also as:</strong> ${also.join(', ')}</p>`}
${own.length > 0 && html`<h4>In the address</h4>${parameterTable(own)}`}
${body && html`<h4>Body</h4>${fieldTable(fieldsOf(inlined(body.schema, api), api.components.schemas))}`}
${headers.length > 0 && html`<details><summary>Headers</summary>${parameterTable([...headers, ...tokenHeader(operation)])}</details>`}
${answerFields(operation, api)}
${refusals(operation, api)}
</div>
<div class="shown">${examples(entry, parameters)}</div>
</article>`
}

const parametersOf = ({ parameters = [] }: Operation, api: OpenApi): Parameter[] =>
  parameters.map((parameter) =>
    '$ref' in parameter ? api.components.parameters[nameOf(parameter.$ref)]! : parameter,
  )

const parameterTable = (parameters: readonly Parameter[]): Markup =>
  fieldTable(
    parameters.map(({ name, required = false, description, schema }) => ({
      name,
      required,
      schema: description === undefined ? schema : { ...schema, description },
    })),
  )

const tokenHeader = ({ security }: Operation): Parameter[] =>
  security.length === 0
    ? []
    : [{ name: 'access-token', in: 'header', required: true, description: 'Who is calling.', schema: { type: 'string' } }]

/** The parts of a body that have a name of their own, and fields of their own, are told where they are used. */
const inlined = (schema: OpenApi['components']['schemas'][string], api: OpenApi): typeof schema => {
  const { schemas } = api.components
  const whole = schema.$ref === undefined ? schema : schemas[nameOf(schema.$ref)]!
  const properties = Object.entries(whole.properties ?? {}).map(([name, { $ref, ...rest }]) => {
    if ($ref === undefined) return [name, rest]
    const { title: _, ...component } = schemas[nameOf($ref)]!
    return [name, { ...component, ...rest }]
  })
  return { ...whole, properties: Object.fromEntries(properties) as typeof schema.properties }
}

const answerFields = ({ responses }: Operation, api: OpenApi): Markup | false => {
  const data = responses['200']?.content?.['application/json']?.schema.properties?.data
  if (!data || data.type === 'null') return false
  const row = data.items ?? data
  const fields = fieldsOf(inlined(row, api), api.components.schemas)
  return html`<details><summary>Answer: data is ${data.items ? 'a list, each with' : 'an object with'} ${fields.length} field${fields.length !== 1 && 's'}</summary>${fieldTable(fields, false)}</details>`
}

const refusals = ({ responses }: Operation, api: OpenApi): Markup | false => {
  const names = Object.values(responses).flatMap(({ content }) => Object.keys(content?.['application/json']?.examples ?? {}))
  if (names.length === 0) return false
  const codes = names.map((name) => api.components.examples[name]!.value)
  return html`<details><summary>Refusals: ${codes.length} codes</summary><ul class="codes">${codes.map(
    ({ code, message }) => html`<li><a href="#code-${code}"><code>${code}</code></a> ${message}</li>`,
  )}</ul></details>`
}

const examples = ({ path, method, operation }: Entry, parameters: readonly Parameter[]): Markup => {
  const body = operation.requestBody?.content['application/json']?.example
  const [status, response] = Object.entries(operation.responses)[0]!
  const content = Object.entries(response.content ?? {})[0]
  const answer = content?.[1].example
  return html`${operation['x-who'] && html`<h4>Example</h4>
<pre tabindex="0"><code>${curl(method, path, operation, parameters, body)}</code></pre>`}
<h4>Answer ${status}${content && html` <span class="format">${content[0]}</span>`}</h4>
${answer === undefined ? html`<p>${prose(response.description)}</p>` : html`<pre tabindex="0"><code>${json(answer)}</code></pre>`}`
}

const LINE = 56 // what stands beside the fields without scrolling

/** JSON for people: what fits on a line is on one. */
const json = (value: unknown, indent = ''): string => {
  const text = JSON.stringify(value)
  if (typeof value !== 'object' || value === null || text.length + indent.length <= LINE) return spaced(value)
  const inner = `${indent}  `
  const list = Array.isArray(value)
  const lines = Object.entries(value).map(([key, item]) => inner + (list ? '' : `${JSON.stringify(key)}: `) + json(item, inner))
  return `${list ? '[' : '{'}\n${lines.join(',\n')}\n${indent}${list ? ']' : '}'}`
}

const spaced = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${spaced(item)}`).join(', ')}}`
}

const variable = (header: string): string => header.toUpperCase().replaceAll('-', '_')

const curl = (method: string, path: string, operation: Operation, parameters: readonly Parameter[], body: unknown): string => {
  const shown = parameters.filter(({ example }) => example !== undefined)
  const query = shown.filter(({ in: place }) => place === 'query').map(({ name, example }) => `${name}=${String(example)}`).join('&')
  const address = shown.reduce((filled, { name, example }) => filled.replace(`{${name}}`, String(example)), path)
  const url = `"$CARILLON${address}${query && `?${query}`}"`
  const lines = [
    method === 'GET' || (method === 'POST' && body !== undefined) ? `curl ${url}` : `curl -X ${method} ${url}`,
    ...parameters.filter(({ in: place, required }) => place === 'header' && required).map(
      ({ name, example }) => (example === undefined ? `-H "${name}: $${variable(name)}"` : `-H '${name}: ${String(example)}'`),
    ),
    ...(operation.security.length > 0 ? [`-H "access-token: $TOKEN"`] : []),
    ...(body === undefined ? [] : [`-H 'content-type: application/json'`, `-d '${json(body, '  ').replaceAll("'", `'\\''`)}'`]),
    ...(operation.requestBody && body === undefined ? ['--data-binary @FILE'] : []),
  ]
  return lines.join(' \\\n  ')
}
