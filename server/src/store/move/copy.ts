import { once } from 'node:events'
import type pg from 'pg'

/** What the driver has of COPY, but does not tell its types of. */
interface CopyConnection extends pg.Connection {
  sendCopyFromChunk(chunk: Uint8Array): void
  endCopyFrom(): void
}

/** One COPY on its way, as the driver asks for it. */
class Copy implements pg.Submittable {
  readonly #sql: string
  readonly #data: (chunk: Buffer) => void
  readonly open = Promise.withResolvers<CopyConnection>()
  readonly done = Promise.withResolvers<void>()

  constructor(sql: string, data: (chunk: Buffer) => void) {
    this.#sql = sql
    this.#data = data
    this.open.promise.catch(() => {}) // whoever waits is told by one of the two
    this.done.promise.catch(() => {})
  }

  submit(connection: pg.Connection): void {
    connection.query(this.#sql)
  }

  handleCopyInResponse(connection: CopyConnection): void {
    this.open.resolve(connection)
  }

  handleCopyData({ chunk }: { chunk: Buffer }): void {
    this.#data(chunk)
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.done.resolve()
  }

  handleError(error: Error): void {
    this.open.reject(error)
    this.done.reject(error)
  }
}

/** COPY … FROM STDIN: all of the chunks, or none. No more is read from them than the server takes. */
export const copyIn = async (client: pg.Client, sql: string, chunks: Iterable<Uint8Array>): Promise<void> => {
  const copy = client.query(new Copy(sql, () => {}))
  const connection = await copy.open.promise
  const { stream } = connection
  for (const chunk of chunks) {
    connection.sendCopyFromChunk(chunk)
    if (stream.writableNeedDrain) await Promise.race([once(stream, 'drain'), copy.done.promise])
  }
  connection.endCopyFrom()
  await copy.done.promise
}

/** COPY … TO STDOUT: `data` gets a row each time, in a buffer that is used again afterwards. */
export const copyOut = async (client: pg.Client, sql: string, data: (row: Buffer) => void): Promise<void> => {
  await client.query(new Copy(sql, data)).done.promise
}
