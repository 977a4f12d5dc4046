import { useWords } from '../words/language.tsx'
import { Badge, type Tone } from './badges.tsx'
import { fateWords } from './fate.words.ts'

const tones = {
  received: 'good',
  sent: 'good',
  done: 'good',
  pending: 'cool',
  waiting: 'cool',
  moved: 'plain',
  refused: 'bad',
  dead: 'bad',
  expired: 'warn',
  cancelled: 'plain',
  overflow: 'warn',
  replaced: 'plain',
  planned: 'plain',
  untargeted: 'warn',
} as const satisfies Record<string, Tone>

const isKnown = (state: string): state is keyof typeof tones => Object.hasOwn(tones, state)

/** Where a delivery stands has a word in every language; why there was no channel is the server's own sentence. */
export const Fate = ({ state }: { state: string }) => {
  const say = useWords(fateWords)
  return isKnown(state) ? <Badge tone={tones[state]}>{say[state]}</Badge> : state
}
