import { type ErrorName, errors } from '@carillon/protocol/errors.ts'
import type { JsonSchema, JsonSchemas } from './json-schema.ts'
import type { Response } from './openapi-document.ts'
import type { Route, Who } from './route.ts'

/** What whoever calls can be refused with, whatever it calls. */
const ofEveryCall: Record<Who, readonly ErrorName[]> = {
  nobody: ['fault'],
  app: ['badParameter', 'appUnknown', 'fault', 'cannotStore'],
  get any() {
    return [...this.app, 'tokenMissing', 'tokenInvalid', 'tokenExpired', 'notAllowed', 'userUnknown', 'groupUnknown'] as const
  },
  get admin() {
    return this.any
  },
  get user() {
    return this.any
  },
}

/** All a route can be refused with, in the catalogue's order. */
const refusalsOf = ({ who, body, refuses = [] }: Route): ErrorName[] => {
  const all = new Set<ErrorName>([...ofEveryCall[who], ...refuses])
  if (body) for (const name of ['bodyTooLarge', 'notJson', 'tooMany'] as const) all.add(name)
  if (body && JSON.stringify(body).includes('"maxItems"')) all.add('listTooLong')
  return (Object.keys(errors) as ErrorName[]).filter((name) => all.has(name))
}

/** What a route answers, by HTTP status. */
export const responsesOf = (route: Route, schemas: JsonSchemas): Record<string, Response> => ({
  200: successOf(route, schemas),
  ...refusedResponses(refusalsOf(route)),
})

const successOf = ({ answer, document, example }: Route, schemas: JsonSchemas): Response => {
  const description = 'Done.'
  if (document) return { description, content: { [document]: { schema: { type: document === 'application/json' ? 'object' : 'string' } } } }
  const data = answer ? schemas.of(answer) : { type: 'null' }
  const schema: JsonSchema = {
    type: 'object',
    required: ['code', 'data', 'message'],
    properties: { code: { type: 'integer', format: 'int32', const: 200 }, data, message: { type: 'null' } },
  }
  return {
    description,
    content: { 'application/json': { schema, example: { code: 200, data: example?.answer ?? null, message: null } } },
  }
}

/** The envelope of every refusal. */
export const refusal: JsonSchema = {
  title: 'Refusal',
  type: 'object',
  required: ['code', 'data', 'message'],
  properties: {
    code: { type: 'integer', format: 'int32', enum: Object.values(errors).map(({ code }) => code) },
    data: { type: ['object', 'null'], description: 'Null, but for /health/ready, which shows its parts.' },
    message: { type: 'string', description: 'What is wrong, in words. A wrong field comes first, by its path.' },
  },
}

const retryAfter = { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } }

/** What these refusals look like, by HTTP status. */
export const refusedResponses = (names: readonly ErrorName[]): Record<string, Response> => {
  const byStatus = Map.groupBy(names, (name) => errors[name].http)
  return Object.fromEntries(
    [...byStatus].map(([status, together]) => [
      status,
      {
        description: together.map((name) => `${errors[name].code}: ${errors[name].says}.`).join(' '),
        ...((status === 429 || status === 503) && { headers: retryAfter }),
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Refusal' },
            examples: Object.fromEntries(together.map((name) => [name, { $ref: `#/components/examples/${name}` }])),
          },
        },
      },
    ]),
  )
}
