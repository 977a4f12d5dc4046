/** The access tokens one vendor gave out, and how long they last. */
export interface AccessTokens<Owner> {
  issue(owner: Owner, value: string): void
  find(value: string): { owner: Owner; expired: boolean } | undefined
}

export const accessTokens = <Owner>(now: () => number, lifetimeMs: number): AccessTokens<Owner> => {
  const issued = new Map<string, { owner: Owner; endsAt: number }>()
  return {
    issue(owner, value) {
      issued.set(value, { owner, endsAt: now() + lifetimeMs })
    },
    find(value) {
      const token = issued.get(value)
      return token && { owner: token.owner, expired: now() >= token.endsAt }
    },
  }
}
