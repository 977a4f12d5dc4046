import type { DeliveryWord } from '@carillon/protocol/names.ts'
import type { Reason } from '@carillon/protocol/sentences/reasons.ts'
import { useWords } from '../words/language.tsx'
import { useTold } from '../words/told.ts'
import { Badge, type Tone } from './badges.tsx'
import { fateWords } from './fate.words.ts'
import { reasonWords } from './reason.words.ts'

const tones: Record<DeliveryWord, Tone> = {
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
}

/** Where a delivery stands; without a channel, why there is none. `why`: that in the server's own words. */
export const Fate = ({ state, reason, why = '' }: { state: DeliveryWord; reason?: Reason; why?: string }) => {
  const say = useWords(fateWords)
  const told = useTold(reasonWords)
  return reason || why ? told(reason, why) : <Badge tone={tones[state]}>{say[state]}</Badge>
}
