import type { JsonSchema } from './json-schema.ts'
import type { Who } from './route.ts'

/** OpenAPI 3.1, as far as the description of our API uses it. */

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema: JsonSchema
  example?: string | number
}

export interface Pointer {
  $ref: string
}

export interface Content {
  schema: JsonSchema
  example?: unknown
  examples?: Record<string, Pointer>
}

export interface Response {
  description: string
  headers?: Record<string, object>
  content?: Record<string, Content>
}

export interface Operation {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  /** Who may call; of routes alone. */
  'x-who'?: Who
  /** The method of the same path that this one is another way to write. */
  'x-same-as'?: string
  security: Record<string, string[]>[]
  parameters?: (Parameter | Pointer)[]
  requestBody?: { required: boolean; content: Record<string, Content> }
  responses: Record<string, Response>
}

export interface OpenApi {
  openapi: '3.1.0'
  info: { title: string; version: string; description: string; license: { name: string; identifier: string } }
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, JsonSchema>
    parameters: Record<string, Parameter>
    examples: Record<string, { summary: string; value: { code: number; data: null; message: string } }>
    securitySchemes: Record<string, object>
  }
}
