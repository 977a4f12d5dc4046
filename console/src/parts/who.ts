import type { Dictionary, Language } from '../words/dictionary.ts'
import type { whoWords } from './who.words.ts'

type Words = typeof whoWords extends Dictionary<infer W> ? Dictionary<W>[Language] : never

/** Reads what the interface calls a scope or an actor: `app`, `group 3`, `user 7`, `admin token 3 (ci)`, `command line`. */
export const named = (who: string, say: Words): string => {
  const [, kind, id = '', name = ''] = /^(user|group|admin token) (\d+)(?: \((.*)\))?$/s.exec(who) ?? []
  if (kind === 'user') return say.user(id)
  if (kind === 'group') return say.group(id)
  if (kind === 'admin token') return say.adminToken(id, name)
  if (who === 'app') return say.app
  return who === 'command line' ? say.commandLine : who
}
