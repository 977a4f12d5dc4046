import type { Carillon, CallOptions } from './carillon.ts'

export interface LiveEvent {
  event: string
  data: any
}

/** The live figures of an app as its page hears them. */
export class Live {
  readonly status: number
  readonly type: string | null
  readonly events: LiveEvent[] = []
  /** Resolves when the server has ended it. */
  readonly ended: Promise<void>
  readonly #stop: AbortController
  #heard: (() => void) | undefined

  constructor(response: Response, stop: AbortController) {
    this.status = response.status
    this.type = response.headers.get('content-type')
    this.#stop = stop
    this.ended = this.#read(response.body!).catch(() => {})
  }

  /** The first event that is right, of those that came and those that will. */
  async until(event: string, right: (data: any) => boolean = () => true): Promise<any> {
    for (let i = 0; ; i += 1) {
      while (i >= this.events.length) await new Promise<void>((resolve) => (this.#heard = resolve))
      const told = this.events[i]!
      if (told.event === event && right(told.data)) return told.data
    }
  }

  close(): void {
    this.#stop.abort()
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder()
    let text = ''
    for await (const chunk of body) {
      text += decoder.decode(chunk, { stream: true })
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(text.slice(0, end))!
        this.events.push({ event: event!, data: JSON.parse(data!) })
        text = text.slice(end + 2)
        this.#heard?.()
      }
    }
  }
}

/** Listens; ends with the test. */
export const listenLive = async (
  t: { after(work: () => unknown): void },
  carillon: Carillon,
  { app = 'demo', token = carillon.admin, headers = {}, taskId }: CallOptions & { taskId?: number } = {},
): Promise<Live> => {
  const stop = new AbortController()
  t.after(() => stop.abort())
  const path = taskId === undefined ? '/app/live' : `/app/live?task_id=${taskId}`
  const credentials: Record<string, string> = { app_id: app!, ...(token && { 'access-token': token }) }
  return new Live(
    await fetch(carillon.http + path, { headers: { ...credentials, ...headers }, signal: stop.signal }), stop,
  )
}
