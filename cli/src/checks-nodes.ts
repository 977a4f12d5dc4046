import { parts } from '@carillon/server/config.ts'
import { natsServers } from '@carillon/server/config-nats.ts'
import { Link } from '@carillon/server/bus/nats-link.ts'
import { SILENT_MS } from '@carillon/server/store/heart-beats.ts'
import type { NodeSeen } from '@carillon/server/store/postgres/checkup.ts'
import { type Finding, ok, warn, wrong } from './checks.ts'

/** Silent for so long, a node should have been reaped by any other that lives. */
const FORGOTTEN_MS = 30_000
const PING_MS = 1_000

const called = ({ id, parts: does, address }: NodeSeen): string => `${id} (${does.join(', ')} at ${address})`

/** Which of them live, by the database's clock. */
export const livingAt = (nodes: readonly NodeSeen[], now: number): NodeSeen[] => nodes.filter(({ beatAt }) => beatAt > now - SILENT_MS)

export const checkNodes = (nodes: readonly NodeSeen[], now: number): Finding[] => {
  const name = 'nodes'
  const living = livingAt(nodes, now)
  const silent = nodes.filter((node) => !living.includes(node)).map((node): Finding => {
    const seconds = Math.round((now - node.beatAt) / 1_000)
    const text = `node ${called(node)} is silent for ${seconds} s`
    const hint = 'if it is to run, look into its log; what it held is free as soon as another node reaps it'
    return living.length > 0 && now - node.beatAt > FORGOTTEN_MS ? wrong(name, text, 'no living node reaps it: look into their logs') : warn(name, text, hint)
  })
  if (living.length === 0) return [warn(name, 'none is alive', 'start one: until then nothing is accepted, and nothing sent'), ...silent]
  const idle = parts.filter((part) => !living.some((node) => node.parts.includes(part)))
  return [
    ok(name, `${living.length} alive: ${living.map(called).join(', ')}`),
    ...idle.map((part) => wrong(name, `none does the part ${part}`, `start one with CARILLON_PARTS=${part}, or without that setting`)),
    ...silent,
  ]
}

/** Each server of the bus for itself: one that is down is not missed until the others are. */
export const checkNats = async (urls: string): Promise<Finding[]> => {
  const name = 'NATS'
  if (urls === '') return [ok(name, 'none: what nodes tell one another is seen within a second')]
  return Promise.all(
    natsServers(urls).map(async (server): Promise<Finding> => {
      const place = `${server.host}:${server.port}`
      const link = new Link({ server, subscriptions: () => [], heard: () => {}, pingMs: PING_MS })
      if (await link.opened) {
        await link.close()
        return ok(name, `${place} answers`)
      }
      const hint = 'nothing is lost meanwhile: what nodes tell one another is seen a second later'
      return warn(name, `${place}: ${await link.ended}`, hint)
    }),
  )
}
