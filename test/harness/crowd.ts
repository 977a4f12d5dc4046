import type { Api, Login } from './api.ts'
import type { Chance } from './chance.ts'
import { type Device, type Doors, connectDevice } from './device.ts'

export type { Doors }

const TAGS = ['red', 'green', 'blue'] as const

interface Member {
  login: Login
  tags: readonly string[]
  device: Device
}

/** Many devices that listen, come back when they lose their connection, and can be asked for in every way. */
export class Crowd {
  readonly members: readonly Member[]

  constructor(members: readonly Member[]) {
    this.members = members
  }

  /** An audience as a caller writes it, and who is meant, by the place in the crowd: mostly one, at times everybody. */
  draw(chance: Chance): { audience: unknown; meant: ReadonlySet<number> } {
    const kind = chance.below(100)
    if (kind < 3) return this.#asking('all', () => true)
    if (kind < 10) {
      const tag = chance.some(TAGS, 1 + chance.below(2))
      return this.#asking({ tag }, ({ tags }) => tags.some((had) => tag.includes(had as never)))
    }
    const listed = chance.some(this.members, kind < 30 ? 2 + chance.below(6) : 1).map(({ login }) => login)
    if (kind < 50) {
      const push_token = listed.map((login) => login.push_token)
      return this.#asking({ push_token }, ({ login }) => push_token.includes(login.push_token))
    }
    const user_id = listed.map((login) => login.user_id)
    return this.#asking({ user_id }, ({ login }) => user_id.includes(login.user_id))
  }

  #asking(audience: unknown, includes: (member: Member) => boolean): { audience: unknown; meant: ReadonlySet<number> } {
    return { audience, meant: new Set(this.members.flatMap((member, place) => (includes(member) ? [place] : []))) }
  }
}

const serverOf = ({ mqtt, webSocket }: Doors, over: 'tcp' | 'ws') => {
  const { hostname, port } = new URL(over === 'tcp' ? mqtt : webSocket)
  return { host: hostname, port: Number(port), protocol: over === 'tcp' ? ('mqtt' as const) : ('ws' as const) }
}

/** Both doors, both versions. */
const ways = [{ over: 'tcp' }, { over: 'tcp', protocolVersion: 5 }, { over: 'ws' }] as const

/** Devices that are spread over these nodes; whoever loses its connection goes to the next one. */
export const gatherCrowd = async (
  t: { after(work: () => unknown): void },
  api: Api,
  gateways: readonly Doors[],
  count: number,
  chance: Chance,
): Promise<Crowd> => {
  // Four users have five devices: some have two.
  const list = Array.from({ length: Math.ceil(count * 0.8) }, (_, i) => ({ username: `user ${i}` }))
  const token = api.admin
  const users: { user_id: number }[] = await api.ok('/user/register/batch', { token, body: { list } })
  const members: Member[] = []
  for (let i = 0; i < count; i++) {
    const login = await api.tokenFor(users[i % users.length]!.user_id, `device ${i}`)
    const tags = TAGS.filter(() => chance.below(3) === 0)
    if (tags.length > 0) await api.ok('/user/push/tag', { token: login.token, body: { tags } })
    const way = ways[i % ways.length]!
    const servers = gateways.map((_, turn) => serverOf(gateways[(i + turn) % gateways.length]!, way.over))
    const device = await connectDevice(t, gateways[0]!, login, { ...way, servers, reconnectPeriod: 100 + chance.below(400) })
    device.client.on('error', () => {}) // it comes back by itself
    members.push({ login, tags, device })
  }
  return new Crowd(members)
}
