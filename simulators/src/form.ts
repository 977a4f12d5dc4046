import type { SimulatorRequest } from './simulator.ts'

/** The fields of a form, decoded once; undefined when the body says that it is something else. */
export const formOf = (request: SimulatorRequest): Record<string, string> | undefined =>
  /^application\/x-www-form-urlencoded *(;|$)/i.test(request.headers['content-type'] ?? '')
    ? Object.fromEntries(new URLSearchParams(request.body))
    : undefined

/** Whether a body says that it is JSON. */
export const saysJson = (request: SimulatorRequest): boolean =>
  /^application\/json *(;|$)/i.test(request.headers['content-type'] ?? '')
