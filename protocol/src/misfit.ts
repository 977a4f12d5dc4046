import { Refused, type ErrorName } from './errors.ts'

/**
 * A value that does not fit its schema. It is thrown where the value is, and every container it passes on its way up
 * puts its own key in front: so a path costs nothing unless something is wrong.
 */
export class Misfit {
  readonly kind: ErrorName
  readonly expected: string
  path = ''

  constructor(expected: string, kind: ErrorName = 'badParameter') {
    this.expected = expected
    this.kind = kind
  }
}

export const join = (path: string, rest: string): string =>
  path === '' ? rest : rest === '' || rest.startsWith('[') ? path + rest : `${path}.${rest}`

/** The same problem, seen from the container that holds it under `key`. */
export const within = (key: string, problem: unknown): unknown => {
  if (problem instanceof Misfit) problem.path = join(key, problem.path)
  return problem
}

/** What the caller is told about it. */
export const refusal = (path: string, problem: unknown): unknown => {
  if (!(problem instanceof Misfit)) return problem
  return new Refused(problem.kind, `${join(path, problem.path) || 'body'} ${problem.expected}`)
}

const SHOWN_MAX = 40

/** A key as we repeat it to its caller: it may be as long as the body. */
export const shown = (key: string): string => (key.length <= SHOWN_MAX ? key : `${key.slice(0, SHOWN_MAX)}…`)
