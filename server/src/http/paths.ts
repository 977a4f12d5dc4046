import type { Route } from './route.ts'

/** HEAD answers like GET without the body: Node leaves it out. */
export const methodsOf = ({ method }: Pick<Route, 'method'>): string[] => {
  const methods: string[] = typeof method === 'string' ? [method] : [...method]
  return methods.includes('GET') ? [...methods, 'HEAD'] : methods
}

interface Known {
  path: string
  parts: string[]
  methods: string[]
}

/** The paths this door knows, for the calls the router found no method for. */
export class Paths {
  readonly #known = new Map<string, Known>()

  add(path: string, methods: readonly string[]): void {
    const known = this.#known.get(path)
    if (known) known.methods.push(...methods)
    else this.#known.set(path, { path, parts: path.split('/'), methods: [...methods] })
  }

  find(url: string): Known | undefined {
    const parts = url.split('?', 1)[0]!.split('/')
    return this.#known.values().find((known) => matches(known.parts, parts))
  }
}

const matches = (known: readonly string[], asked: readonly string[]): boolean =>
  (known.length === asked.length || (known.at(-1) === '*' && asked.length > known.length)) &&
  known.every((part, i) => part === '*' || (part.startsWith(':') ? asked[i] !== '' : part === asked[i]))
