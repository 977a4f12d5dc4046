import type { Login } from '../../test/harness/api.ts'
import type { Served } from './carillon.ts'
import type { Told } from './clients.ts'
import { credentialsOf } from './crowd.ts'
import type { Bench } from './job.ts'

/** Connected devices, an equal part of them at each node. */
export interface Fleet {
  /** Resolves when so many pushes, from now on, have come to every one and been acknowledged. */
  expect(each: number): Promise<Omit<Told, 'event'>>
  stop(): Promise<void>
}

/** Resolves when all of them count as online. */
export const connectAll = async ({ clients }: Pick<Bench, 'clients'>, carillon: Served, members: readonly Login[]): Promise<Fleet> => {
  const parts = carillon.nodes.map(({ mqttPort }, place, { length }) => {
    const own = members.filter((_, i) => i % length === place)
    return { own, devices: clients.devices(mqttPort, 'push', credentialsOf(own)) }
  })
  for (const { own, devices } of parts) {
    await devices.connect(own.length)
    await carillon.online(own.at(-1)!)
  }
  return {
    expect: async (each) => {
      const told = await Promise.all(parts.map(({ own, devices }) => devices.expect(own.length * each)))
      const sum = (name: 'count' | 'repeated' | 'cpu'): number => told.reduce((all, part) => all + part[name], 0)
      return { count: sum('count'), repeated: sum('repeated'), cpu: sum('cpu'), seconds: Math.max(...told.map(({ seconds }) => seconds)) }
    },
    stop: async () => void (await Promise.all(parts.map(({ devices }) => devices.stop()))),
  }
}
