import type { Told } from './sentence.ts'

/** What is wrong with an app or its server, by the kind of the alarm. */
export const alarmSentences = {
  push_off: () => 'push is switched off for this app: notify is refused',
  certificate_expired: ({ name, day }: { name: string; day: string }) => `the certificate ${name} ended on ${day}`,
  certificate_expiring: ({ name, day }: { name: string; day: string }) => `the certificate ${name} ends on ${day}`,
  tokens_dying: () =>
    'more than a fifth of the answers of a minute call their token dead: ' +
    'most likely the certificate or its environment is wrong',
  /** Where it is not known why. */
  lane_paused: () => 'it takes nothing at the moment',
  /** `seconds`: so long it was waited for in vain; 0 where something was answered. */
  webhook_failing: ({ answer, given_up }: { answer: string; seconds: number; given_up: number }) =>
    `events are not taken by the webhook (${answer})${given_up > 0 ? `; ${given_up} were given up` : ''}`,
  bus_down: ({ words }: { words: string }) =>
    `the nodes cannot hear one another: pushes take a second longer (${words})`,
} as const
export type AlarmKind = keyof typeof alarmSentences
export type AlarmTold = Told<typeof alarmSentences>
