import { Live, Ready } from '@carillon/protocol/answers.ts'
import { RefusedWithData } from './envelope.ts'
import { type Route, route } from './route.ts'

export interface Check {
  name: string
  ok: boolean
  /** It does its work in a worse way: somebody should look, but nobody should be sent to another node. */
  degraded?: boolean
  /** What is wrong, in words for an operator. */
  why?: string
}

export const operationsRoutes = ({ checks }: { checks(): Promise<Check[]> }): Route[] => [
  route({
    method: 'GET',
    path: '/health/live',
    who: 'nobody',
    noun: 'operations',
    summary: 'The process answers.',
    answer: Live,
    example: { answer: { live: true } },
    handle: async () => ({ live: true }),
  }),
  route({
    method: 'GET',
    path: '/health/ready',
    who: 'nobody',
    noun: 'operations',
    summary: 'This node can do its work; if not, what is wrong.',
    answer: Ready,
    refuses: ['cannotStore'],
    example: { answer: { ready: true, parts: [{ name: 'store', ok: true }] } },
    handle: async () => {
      const parts = await checks()
      const wrong = parts.filter(({ ok }) => !ok)
      if (wrong.length === 0) return { ready: true, parts }
      const message = `not ready: ${wrong.map(({ name, why }) => (why ? `${name} (${why})` : name)).join(', ')}`
      throw new RefusedWithData('cannotStore', message, { ready: false, parts })
    },
  }),
]
