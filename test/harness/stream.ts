import type { Login } from './api.ts'

/** A device that listens by server-sent events; it acknowledges by POST, where it likes. */
export class Stream {
  readonly tasks: number[] = []
  readonly #stop: AbortController
  #heard = Promise.withResolvers<void>()

  constructor(response: Response, stop: AbortController) {
    this.#stop = stop
    this.#read(response.body!).catch(() => {}) // it was closed, or its node has died
  }

  /** Resolves when that many pushes have arrived in all. */
  async has(count: number): Promise<number[]> {
    while (this.tasks.length < count) await this.#heard.promise
    return this.tasks
  }

  close(): void {
    this.#stop.abort()
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder()
    let text = ''
    for await (const chunk of body) {
      text += decoder.decode(chunk, { stream: true })
      const events = text.split('\n\n')
      text = events.pop()!
      this.tasks.push(...events.flatMap((event) => /^id: (\d+)$/m.exec(event)?.[1] ?? []).map(Number))
      this.#heard.resolve()
      this.#heard = Promise.withResolvers<void>()
    }
  }
}

/** Begins to listen at this node; ends with the test. */
export const openStream = async (
  t: { after(work: () => unknown): void },
  { http }: { http: string },
  { push_token, token }: Pick<Login, 'push_token' | 'token'>,
): Promise<Stream> => {
  const stop = new AbortController()
  t.after(() => stop.abort())
  const headers = { app_id: 'demo', 'push-token': push_token, 'access-token': token }
  return new Stream(await fetch(`${http}/push/stream`, { headers, signal: stop.signal }), stop)
}
