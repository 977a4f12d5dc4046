import type { Told } from './sentence.ts'

/**
 * Refusals that say more than their code does, as far as people meet them. The envelope of a refusal has no room for a
 * name, so they are known by their text.
 */
export const refusalSentences = {
  no_device: () => 'no such device',
  no_task: () => 'no such task',
  no_token: () => 'no such token',
  no_webhook: () => 'no webhook is set',
  user_disabled: () => 'this user is disabled',
  aliases_by_admin: () => 'in this app aliases are given by admin tokens alone',
  fault: ({ id }: { id: string }) => `our fault; the log says more under id ${id}`,
  taken: ({ field }: { field: string }) => `${field} is taken`,
} as const
export type Refusal = Told<typeof refusalSentences>

const plain = ['no_device', 'no_task', 'no_token', 'no_webhook', 'user_disabled', 'aliases_by_admin'] as const

/** Which of them a message is; undefined where it is none. */
export const refusalOf = (message: string): Refusal | undefined => {
  const name = plain.find((each) => refusalSentences[each]() === message)
  if (name) return { name, values: {} }
  const [, id] = /^our fault; the log says more under id (\S+)$/.exec(message) ?? []
  if (id !== undefined) return { name: 'fault', values: { id } }
  const [, field] = /^(\w+) is taken$/.exec(message) ?? []
  return field === undefined ? undefined : { name: 'taken', values: { field } }
}
