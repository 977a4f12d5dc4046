import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { Api, Login } from './api.ts'
import type { Enrolment, Status } from './lean-devices.ts'

const REGISTER_AT_ONCE = 500
const LOGINS_AT_ONCE = 32
const DEVICES_A_PROCESS = 5_000
const LOOK_MS = 50

/** Thousands of devices, in processes of their own. */
export class LeanCrowd {
  readonly userIds: readonly number[]
  readonly #processes: readonly ChildProcess[]

  constructor(processes: readonly ChildProcess[], userIds: readonly number[]) {
    this.#processes = processes
    this.userIds = userIds
  }

  async status(): Promise<Status> {
    const sum: Status = { online: 0, tasks: {} }
    for (const child of this.#processes) {
      child.send('status')
      const [{ online, tasks }] = (await once(child, 'message')) as [Status]
      sum.online += online
      for (const [id, { devices, arrivals }] of Object.entries(tasks)) {
        const task = (sum.tasks[Number(id)] ??= { devices: 0, arrivals: 0 })
        task.devices += devices
        task.arrivals += arrivals
      }
    }
    return sum
  }

  /** Asks again until it is right; a test that waits for ever is ended by its own time limit. */
  async until(right: (status: Status) => boolean): Promise<Status> {
    for (;;) {
      const status = await this.status()
      if (right(status)) return status
      await pause(LOOK_MS)
    }
  }
}

/** So many users with a device each, which connect to these ports in turn. */
export const gatherLeanCrowd = async (
  t: { after(work: () => unknown): void },
  api: Api,
  { size, ports }: { size: number; ports: number[] },
): Promise<LeanCrowd> => {
  const logins = await enrol(api, size)
  const processes: ChildProcess[] = []
  t.after(() => processes.forEach((child) => child.kill('SIGKILL')))
  for (let at = 0; at < size; at += DEVICES_A_PROCESS) {
    const credentials = logins.slice(at, at + DEVICES_A_PROCESS).map(({ push_token, token }): [string, string] => [push_token, token])
    const child = fork(new URL('./lean-devices.ts', import.meta.url))
    child.send({ credentials, ports } satisfies Enrolment)
    processes.push(child)
  }
  return new LeanCrowd(processes, logins.map(({ user_id }) => user_id))
}

const enrol = async (api: Api, size: number): Promise<Login[]> => {
  const userIds: number[] = []
  for (let at = 0; at < size; at += REGISTER_AT_ONCE) {
    const list = Array.from({ length: Math.min(REGISTER_AT_ONCE, size - at) }, (_, i) => ({ username: `member ${at + i}` }))
    const rows = await api.ok<{ user_id: number }[]>('/user/register/batch', { token: api.admin, body: { list } })
    userIds.push(...rows.map(({ user_id }) => user_id))
  }
  const logins: Login[] = []
  const queue = userIds.entries()
  const logIn = async (): Promise<void> => {
    for (const [i, userId] of queue) logins[i] = await api.tokenFor(userId, `member ${i}`)
  }
  await Promise.all(Array.from({ length: LOGINS_AT_ONCE }, logIn))
  return logins
}
