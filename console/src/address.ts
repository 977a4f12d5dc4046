type Search = Record<string, unknown>

/**
 * What `read` understands of an address, and nothing else of it. The router lays what is read over what was typed, so
 * whatever `read` leaves out would reach the page as it was typed: it is set to undefined instead.
 */
export const understood =
  <S extends object>(read: (search: Search) => S) =>
  (search: Search): S => ({ ...Object.fromEntries(Object.keys(search).map((name) => [name, undefined])), ...read(search) })
