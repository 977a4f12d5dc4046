/** Splits what a request asks for into its path and its query. */
export const splitTarget = (target: string): { path: string; query: URLSearchParams } => {
  const at = target.indexOf('?')
  if (at < 0) return { path: target, query: noQuery }
  return { path: target.slice(0, at), query: new URLSearchParams(target.slice(at + 1)) }
}

const noQuery = new URLSearchParams()

/** Names that stand more than once in a list of names and values by turns. */
export const repeatedIn = (rawHeaders: readonly string[]): readonly string[] => {
  let repeated = none
  for (let i = 2; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase()
    for (let j = 0; j < i; j += 2) if (rawHeaders[j]!.toLowerCase() === name) repeated = [...repeated, name]
  }
  return repeated
}

const none: readonly string[] = []
