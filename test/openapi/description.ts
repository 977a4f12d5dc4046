import type { Carillon } from '../harness/carillon.ts'

export interface Described {
  name: string
  method: string
  path: string
  who: string | undefined
  /** The schema and the example of the body; of nothing else. */
  body: { schema: object; example?: unknown } | undefined
  parameters: { name: string; in: string; required: boolean; schema: object; example?: string | number }[]
  /** The media type of a success, its schema and example. */
  success: { type: string; schema: object; example?: { code: number; data: unknown } } | undefined
  /** All codes it may be refused with. */
  codes: number[]
}

/** The description as the running program gives it, and every call in it with what it points at put in its place. */
export const readDescription = async (carillon: Carillon): Promise<{ api: any; calls: Described[] }> => {
  const api: any = await (await fetch(`${carillon.http}/openapi.json`)).json()
  const follow = (value: any): any =>
    value?.$ref === undefined ? value : value.$ref.slice(2).split('/').reduce((at: any, key: string) => at[key], api)
  const calls = Object.entries<any>(api.paths).flatMap(([path, operations]) =>
    Object.entries<any>(operations).map(([method, operation]): Described => {
      const [type, content] = Object.entries<any>(operation.responses['200']?.content ?? {})[0] ?? []
      const examples = Object.values<any>(operation.responses).flatMap((response) =>
        Object.values<any>(response.content?.['application/json']?.examples ?? {}),
      )
      return {
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        who: operation['x-who'],
        body: operation.requestBody?.content['application/json'],
        parameters: (operation.parameters ?? []).map(follow),
        success: type === undefined ? undefined : { type, ...content },
        codes: examples.map((example) => follow(example).value.code),
      }
    }),
  )
  return { api, calls }
}
