import type { AppSettingPut, CertificatePut, RegisterBatch } from '@carillon/protocol/bodies.ts'
import type { Overview } from '@carillon/protocol/console-answers.ts'
import type { Counters } from '@carillon/protocol/counters.ts'
import type { DeviceDetail, DevicePage, FoundUsers, UserDetail } from '@carillon/protocol/device-answers.ts'
import type { DeviceSearch, UserSearch } from '@carillon/protocol/device-bodies.ts'
import type { AudienceKind, TaskState } from '@carillon/protocol/names.ts'
import type { Count, Notify, Preflight } from '@carillon/protocol/notify.ts'
import type { Carried, Counted } from '@carillon/protocol/push-answers.ts'
import type { TriedTold } from '@carillon/protocol/sentences/tried.ts'
import type { Warning } from '@carillon/protocol/sentences/warnings.ts'
import type { TaskSeries } from '@carillon/protocol/task-answers.ts'
import type {
  AuditEntry,
  CertificateRecord,
  ListedCertificate,
  ListedEvent,
  ListedGroup,
  ListedLane,
  ListedUser,
  Paged,
  RegisteredRow,
  TaskListed,
  TaskShown,
  TokenRecord,
  TraceShown,
} from './answers.ts'
import { type Asked, call, type Place } from './call.ts'
import { again, type Patience } from './again.ts'

type Id = number | bigint
type Page = { page_num?: number; page_size?: number }
type At = { provider: number; environment?: 0 | 1 }
/** Which tasks; times are Unix milliseconds. */
type TaskFilter = { state?: TaskState; audience_kind?: AudienceKind; from?: number; to?: number; request_id?: string }

export interface CallerOptions extends Place, Partial<Patience> {}

/** For back ends: everything an admin token may do. With a user's token, what that user may. */
export class Caller {
  readonly #options: CallerOptions

  constructor(options: CallerOptions) {
    this.#options = options
  }

  /** The same caller in a smaller scope: one user, or one group. */
  as(scope: { userId: number } | { groupId: number }): Caller {
    return new Caller({ ...this.#options, userId: undefined, groupId: undefined, ...scope })
  }

  /**
   * Resolves when the task is stored. With a `setting.request_id` it is safe to ask again, so that is done by itself
   * while the network fails or the server cannot take it; without one, whether to is the caller's to decide.
   */
  notify(notify: Notify): Promise<{ task_id: number }> {
    const ask = () => this.#ask<{ task_id: number }>('/push/notify', { body: notify })
    return notify.setting?.request_id ? again(ask, this.#options) : ask()
  }

  /** How many devices it would reach now, by the way it would take. Nothing is sent. */
  count(count: Count): Promise<Counted> {
    return this.#ask('/push/count', { body: count })
  }

  /** What each channel would carry of a message: what is shown, what is cut, what has no place. Nothing is sent. */
  preflight(preflight: Preflight): Promise<Carried[]> {
    return this.#ask('/push/preflight', { body: preflight })
  }

  /** Per channel how many were targeted, sent and received; tasks that are unknown here are left out. */
  counters(taskIds: Id[]): Promise<Counters[]> {
    return this.#ask('/push/task/detail', { body: { list: taskIds } })
  }

  /** Newest first; the next page begins `before` the last id of this one. */
  tasks(query: { before?: number; limit?: number } & TaskFilter = {}): Promise<TaskListed[]> {
    return this.#ask('/push/task/list', { query })
  }

  task(taskId: Id): Promise<TaskShown> {
    return this.#ask(`/push/task/${taskId}`)
  }

  /** Why a device got it, or did not, step by step. */
  trace(taskId: Id, pushToken: string): Promise<TraceShown> {
    return this.#ask(`/push/task/${taskId}/trace`, { query: { push_token: pushToken } })
  }

  /** When its pushes were handed over and received, channel by channel. */
  series(taskId: Id): Promise<TaskSeries> {
    return this.#ask(`/push/task/${taskId}/series`)
  }

  /** What is not yet handed over is not sent. */
  cancel(taskId: Id): Promise<{ task_id: number; state: TaskState }> {
    return this.#ask('/push/task/cancel', { body: { task_id: taskId } })
  }

  /** A user's token record without a password, for back ends that keep their own accounts. */
  tokenFor(userId: Id, deviceGuid?: string): Promise<TokenRecord> {
    return this.#ask('/token/admin', { body: { user_id: userId, device_guid: deviceGuid } })
  }

  registerUsers(list: RegisterBatch['list']): Promise<RegisteredRow[]> {
    return this.#ask('/user/register/batch', { body: { list } })
  }

  users(page: Page = {}): Promise<Paged<ListedUser>> {
    return this.#ask('/user/list', { query: page })
  }

  /** Newest first, or by the beginning of their username; the next page begins `after` the `next` of this one. */
  searchUsers(query: Partial<UserSearch> = {}): Promise<FoundUsers> {
    return this.#ask('/user/search', { query })
  }

  /** One user with devices, groups and wishes. */
  user(userId: Id): Promise<UserDetail> {
    return this.#ask(`/user/${userId}`)
  }

  /** Newest first, or what a search and filters leave; the next page begins `after` the `next` of this one. */
  devices(query: Partial<DeviceSearch> = {}): Promise<DevicePage> {
    return this.#ask('/device/list', { query })
  }

  /** One device with its vendor tokens, and the last pushes that meant it. */
  device(pushToken: string): Promise<DeviceDetail> {
    return this.#ask(`/device/${encodeURIComponent(pushToken)}`)
  }

  /** Erases a device with everything it holds. */
  removeDevice(pushToken: string): Promise<void> {
    return this.#ask('/device/remove', { body: { push_token: pushToken } })
  }

  setPassword(userId: Id, password: string): Promise<void> {
    return this.#ask('/user/change_password_admin', { body: { user_id: userId, password } })
  }

  disableUser(userId: Id): Promise<void> {
    return this.#ask('/user/disable', { body: { user_id: userId } })
  }

  enableUser(userId: Id): Promise<void> {
    return this.#ask('/user/enable', { body: { user_id: userId } })
  }

  /** Erases the user with everything there is of them. */
  deleteUser(userId: Id): Promise<void> {
    return this.#ask('/user/delete', { body: { user_id: userId } })
  }

  /** Ends all tokens and connections of a user, or of one of the user's devices. */
  kickUser(userId: number, deviceGuid?: string): Promise<void> {
    return call({ ...this.#options, userId }, '/user/kick', { body: { device_guid: deviceGuid } })
  }

  createGroup(name: string, members: Id[] = []): Promise<{ group_id: number }> {
    return this.#ask('/group/create', { body: { name, members } })
  }

  addMembers(groupId: Id, userIds: Id[]): Promise<void> {
    return this.#ask('/group/member/add', { body: { group_id: groupId, list: userIds } })
  }

  removeMembers(groupId: Id, userIds: Id[]): Promise<void> {
    return this.#ask('/group/member/remove', { body: { group_id: groupId, list: userIds } })
  }

  groups(page: Page = {}): Promise<Paged<ListedGroup>> {
    return this.#ask('/group/list', { query: page })
  }

  certificate(at: At): Promise<CertificateRecord> {
    return this.#ask('/push/certificate', { query: at })
  }

  /** Used from then on; `warnings` says what looks unusual. */
  setCertificate(
    certificate: Omit<CertificatePut, 'environment'> & At,
  ): Promise<{ warnings: string[]; told: Warning[] }> {
    return this.#ask('/push/certificate', { method: 'PUT', body: certificate })
  }

  deleteCertificate(at: At): Promise<void> {
    return this.#ask('/push/certificate', { method: 'DELETE', query: at })
  }

  certificates(): Promise<ListedCertificate[]> {
    return this.#ask('/push/certificate/list')
  }

  /** Asks the provider itself, and says in words what is wrong. */
  checkCertificate(at: At): Promise<{ ok: boolean; message: string; told: TriedTold }> {
    return this.#ask('/push/certificate/check', { body: at })
  }

  /** The ways to the providers that are in use: whether they take anything, and if not, why. */
  lanes(): Promise<ListedLane[]> {
    return this.#ask('/push/lane/list')
  }

  /** How the app is doing: its figures of the last hour, what waits, and what somebody should look at. */
  overview(): Promise<Overview> {
    return this.#ask('/app/overview')
  }

  /** Newest first; the next page begins `before` the last id of this one. */
  audit(query: { before?: number; limit?: number } = {}): Promise<AuditEntry[]> {
    return this.#ask('/app/audit', { query })
  }

  /** Where events are posted from now on; the secret that signs them is shown this once. */
  setWebhook(url: string): Promise<{ url: string; secret: string }> {
    return this.#ask('/app/webhook', { method: 'PUT', body: { url } })
  }

  /** null: events are not told. */
  webhook(): Promise<{ url: string; updated_at: number } | null> {
    return this.#ask('/app/webhook')
  }

  deleteWebhook(): Promise<void> {
    return this.#ask('/app/webhook', { method: 'DELETE' })
  }

  testWebhook(): Promise<void> {
    return this.#ask('/app/webhook/test', { method: 'POST' })
  }

  /** Newest first; the next page begins `before` the last id of this one. */
  events(query: { before?: number; limit?: number } = {}): Promise<ListedEvent[]> {
    return this.#ask('/app/webhook/events', { query })
  }

  /** Tells events again, whatever became of them. */
  replayEvents(ids: Id[]): Promise<{ replayed: number }> {
    return this.#ask('/app/webhook/replay', { body: { list: ids } })
  }

  settings(): Promise<Required<AppSettingPut>> {
    return this.#ask('/app/setting')
  }

  /** What is not given stays as it is. */
  setSettings(settings: AppSettingPut): Promise<Required<AppSettingPut>> {
    return this.#ask('/app/setting', { method: 'PUT', body: settings })
  }

  #ask<D>(path: string, asked?: Asked): Promise<D> {
    return call<D>(this.#options, path, asked)
  }
}
