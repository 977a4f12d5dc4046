/** A JSON Web Token taken apart; nothing is verified yet. */
export interface Jwt {
  header: Record<string, unknown>
  claims: Record<string, unknown>
  /** What the signature is over. */
  input: string
  signature: Buffer
}

/** Undefined when it is none. */
export const readJwt = (text: string): Jwt | undefined => {
  const parts = text.split('.')
  if (parts.length !== 3 || !parts.every((part) => /^[\w-]+$/.test(part))) return undefined
  const [head, body, signature] = parts as [string, string, string]
  const header = objectIn(head)
  const claims = objectIn(body)
  if (header === undefined || claims === undefined) return undefined
  return { header, claims, input: `${head}.${body}`, signature: Buffer.from(signature, 'base64url') }
}

const objectIn = (part: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
