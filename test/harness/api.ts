export interface Envelope<D = any> {
  code: number
  data: D
  message: string | null
}

export interface Answer<D = any> extends Envelope<D> {
  status: number
  headers: Headers
}

/** What a call carries beside its path; `body` is sent as JSON unless it is text already. */
export interface CallOptions {
  method?: string
  app?: string | null
  token?: string
  group?: number | string
  user?: number | string
  headers?: Record<string, string>
  body?: unknown
}

/** What is shown of one task, as far as tests ask for it. */
export interface TaskShown {
  task_id: number
  state: string
  waiting: number
  /** Deliveries by channel and what became of them, as in `nativepush: received`. */
  reasons: Record<string, number>
  /** The same by name. */
  fates: { channel: string | null; state: string; reason?: { name: string }; why?: string; deliveries: number }[]
  counters: Record<string, number>
}

export interface Login {
  access_key_secret: string
  encrypt_type: number
  expire: number
  public_key: string
  push_token: string
  store_token: string
  token: string
  user_id: number
}

/** Calls of the API as tests make them, and what they ask again and again. */
export abstract class Api {
  /** An admin token of app `demo`. */
  admin = ''

  /** Where a call of this path goes. */
  protected abstract addressFor(path: string): string

  async call<D = any>(path: string, options: CallOptions = {}): Promise<Answer<D>> {
    const { app = 'demo', token, group, user, body } = options
    const headers: Record<string, string> = { ...options.headers }
    if (app !== null) headers.app_id = app
    if (token !== undefined) headers['access-token'] = token
    if (group !== undefined) headers.group_id = String(group)
    if (user !== undefined) headers.user_id = String(user)
    if (body !== undefined) headers['content-type'] ??= 'application/json'
    const method = options.method ?? (body === undefined ? 'GET' : 'POST')
    const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    const response = await fetch(this.addressFor(path) + path, { method, headers, body: sent })
    return { status: response.status, headers: response.headers, ...((await response.json()) as Envelope<D>) }
  }

  /** The `data` of a call that must succeed. */
  async ok<D = any>(path: string, options: CallOptions = {}): Promise<D> {
    const answer = await this.call<D>(path, options)
    if (answer.code !== 200) throw new Error(`${path} answered ${answer.code}: ${answer.message}`)
    return answer.data
  }

  /** A user without a password; log in with `tokenFor`. Hashing a password takes a while, and most tests need none. */
  async addUser(name: string, options: { app?: string; admin?: string } = {}): Promise<number> {
    const [row] = await this.ok('/user/register/batch', { app: options.app, token: options.admin ?? this.admin, body: { list: [{ username: name }] } })
    if (!row.success) throw new Error(row.reason)
    return row.user_id
  }

  async tokenFor(userId: number, guid?: string, options: { app?: string; admin?: string } = {}): Promise<Login> {
    const body = { user_id: userId, ...(guid && { device_guid: guid }) }
    return this.ok('/token/admin', { app: options.app, token: options.admin ?? this.admin, body })
  }

  /** Sends a notification as the admin (or whoever `options` says); resolves to the task id. */
  async notify(notify: unknown, options: CallOptions = {}): Promise<number> {
    return (await this.ok('/push/notify', { token: this.admin, ...options, body: notify })).task_id
  }

  /** The counters of one task. */
  async counters(taskId: number, options: CallOptions = {}): Promise<Record<string, number>> {
    const [row] = await this.ok('/push/task/detail', { token: this.admin, ...options, body: { list: [taskId] } })
    return row
  }

  /** All there is to say of one task. */
  async task(taskId: number, options: CallOptions = {}): Promise<TaskShown> {
    return this.ok(`/push/task/${taskId}`, { token: this.admin, ...options })
  }

  /** Why a device got it, or did not: the steps, one a line. */
  async trace(taskId: number, pushToken: string, options: CallOptions = {}): Promise<string> {
    const { steps } = await this.ok(`/push/task/${taskId}/trace?push_token=${pushToken}`, { token: this.admin, ...options })
    return steps.map((step: { text: string }) => step.text).join('\n')
  }

  /** Resolves when a device counts as online: its subscription is answered a moment before that is stored. */
  async online({ push_token, token }: Pick<Login, 'push_token' | 'token'>, options: CallOptions = {}): Promise<void> {
    const list = () => this.ok<{ push_token: string; online: boolean }[]>('/user/device/list', { ...options, token })
    await this.until(list, (devices) => devices.some((device) => device.push_token === push_token && device.online))
  }

  /** Asks again until the answer is right; a test that waits for ever is ended by its own time limit. */
  async until<V>(ask: () => Promise<V>, right: (value: V) => boolean): Promise<V> {
    for (;;) {
      const value = await ask()
      if (right(value)) return value
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}
