import { errors } from '@carillon/protocol/errors.ts'
import type { TSchema } from 'typebox'
import { generalRules } from './general-rules.ts'
import { type JsonSchema, JsonSchemas, mapValues } from './json-schema.ts'
import { mqttOverWebSocket } from './mqtt-path.ts'
import { refusal, responsesOf } from './openapi-answers.ts'
import type { OpenApi, Operation, Parameter } from './openapi-document.ts'
import { nouns, type Route, type Who } from './route.ts'

/** The description of the API, made from the records that serve it. */
export const describeApi = (routes: readonly Route[], version: string): OpenApi => {
  const schemas = new JsonSchemas()
  const paths: OpenApi['paths'] = {}
  for (const route of routes) {
    const path = (paths[route.path.replaceAll(/:(\w+)/g, '{$1}')] ??= {})
    const [first, ...others] = [route.method].flat() as string[]
    path[first!.toLowerCase()] = operationOf(route, first!, schemas)
    for (const other of others) {
      const summary = `Another way to write ${first} ${route.path}. ${route.summary}`
      path[other.toLowerCase()] = { ...operationOf(route, other, schemas), summary, 'x-same-as': first!.toLowerCase() }
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Carillon', version, description: generalRules, license: { name: 'Apache 2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/' }],
    tags: Object.entries(nouns).map(([name, description]) => ({ name, description })),
    paths: { ...paths, ...mqttOverWebSocket },
    components: {
      schemas: { Refusal: refusal, ...schemas.components },
      parameters: headers,
      examples: mapValues(errors, ({ code, says }) => ({ summary: says, value: { code, data: null, message: says } })),
      securitySchemes: {
        access_token: {
          type: 'apiKey',
          in: 'header',
          name: 'access-token',
          description: "An admin token, made by `carillon token create`, or a user's token, from a login.",
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'carillon_session',
          description: "The console's session, in place of access-token: for pages of the server itself.",
        },
      },
    },
  }
}

const operationOf = (route: Route, method: string, schemas: JsonSchemas): Operation => {
  const { who, noun, headersOnly, summary, body, upload, query, params, asks = {}, takes = {}, example } = route
  const parameters = [
    ...headersFor[who].map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ...headersOf(asks, true),
    ...headersOf(takes, false),
    ...parametersOf('path', params, example?.params, schemas),
    ...parametersOf('query', query, example?.query, schemas),
  ]
  const schema = body && schemas.of(body)
  return {
    operationId: operationId(method, route.path),
    tags: [noun],
    summary,
    'x-who': who,
    security: who === 'nobody' || who === 'app' ? [] : [{ access_token: [] }, ...(headersOnly ? [] : [{ session: [] }])],
    ...(parameters.length > 0 && { parameters }),
    ...(schema && {
      requestBody: {
        required: (body as JsonSchema).required !== undefined,
        content: { 'application/json': { schema, ...(example?.body && { example: example.body }) } },
      },
    }),
    // What is not JSON has no schema in OpenAPI 3.1: it is bytes.
    ...(upload && { requestBody: { required: true, content: { [upload]: { schema: {} } } } }),
    responses: responsesOf(route, schemas),
  }
}

const headersOf = (described: Record<string, string>, required: boolean): Parameter[] =>
  Object.entries(described).map(([name, description]) => ({ name, in: 'header', required, description, schema: { type: 'string' } }))

const operationId = (method: string, path: string): string =>
  [method.toLowerCase(), ...path.split(/[/_.]/).filter((part) => part !== '')]
    .map((part) => part.replace(':', 'by-').replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase()))
    .map((part, i) => (i === 0 ? part : part[0]!.toUpperCase() + part.slice(1)))
    .join('')

const headers: Record<string, Parameter> = {
  app_id: {
    name: 'app_id',
    in: 'header',
    required: true,
    description: 'Which app. `app-id` is the same header, for proxies that drop underscores.',
    schema: { type: 'string', maxLength: 128 },
    example: 'demo',
  },
  group_id: {
    name: 'group_id',
    in: 'header',
    description: 'With an admin token: the call is made for this group alone. Not together with user_id.',
    schema: { type: 'integer', format: 'int64' },
  },
  user_id: {
    name: 'user_id',
    in: 'header',
    description: 'With an admin token: the call is made as this user. With a user token it may only be the own id.',
    schema: { type: 'integer', format: 'int64' },
  },
}

const headersFor: Record<Who, readonly string[]> = {
  nobody: [],
  app: ['app_id'],
  any: ['app_id', 'group_id', 'user_id'],
  admin: ['app_id'],
  user: ['app_id', 'user_id'],
}

const parametersOf = (
  place: 'path' | 'query',
  schema: TSchema | undefined,
  example: Record<string, string | number> = {},
  schemas: JsonSchemas,
): Parameter[] => {
  if (!schema) return []
  const { properties = {}, required = [] } = schemas.of(schema)
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema: property,
    ...(example[name] !== undefined && { example: example[name] }),
  }))
}
