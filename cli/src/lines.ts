import { createReadStream, statSync } from 'node:fs'
import { Failed } from './command.ts'

/** As much as a body of the API may hold. */
const LINE_MAX = 1024 * 1024
const CHUNK_BYTES = 256 * 1024
const LINE_FEED = 0x0a
const BYTE_ORDER_MARK = Buffer.from('\uFEFF')

export interface Line {
  /** Counted from 1. */
  number: number
  /** undefined: longer than a line may be. */
  bytes: Buffer | undefined
}

export interface Source {
  chunks: AsyncIterable<Buffer>
  /** How much there is; undefined where that cannot be known before the end. */
  size: number | undefined
}

/** A file's bytes; `-` is what comes in on stdin. */
export const openSource = (file: string): Source => {
  if (file === '-') return { chunks: process.stdin as AsyncIterable<Buffer>, size: undefined }
  try {
    const stat = statSync(file)
    const chunks = createReadStream(file, { highWaterMark: CHUNK_BYTES })
    return { chunks, size: stat.isFile() ? stat.size : undefined }
  } catch (error) {
    throw new Failed((error as Error).message)
  }
}

/**
 * The lines that end in each chunk. However long a line is, no more of it is kept than a line may have, so that memory
 * stays bounded whatever the file is.
 */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<{ lines: Line[]; bytesRead: number }> {
  let number = 0
  let bytesRead = 0
  let begun: Buffer[] = []
  let length = 0
  const end = (last: Buffer): Line => {
    const tooLong = length + last.length > LINE_MAX
    const bytes = begun.length === 0 ? last : Buffer.concat([...begun, last])
    begun = []
    length = 0
    return { number: ++number, bytes: tooLong ? undefined : bytes }
  }
  for await (const chunk of chunks) {
    const lines: Line[] = []
    const marked = bytesRead === 0 && chunk.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
    let from = marked ? BYTE_ORDER_MARK.length : 0
    bytesRead += chunk.length
    for (let to = chunk.indexOf(LINE_FEED, from); to >= 0; to = chunk.indexOf(LINE_FEED, from)) {
      lines.push(end(chunk.subarray(from, to)))
      from = to + 1
    }
    if (length <= LINE_MAX) begun.push(chunk.subarray(from))
    length += chunk.length - from
    yield { lines, bytesRead }
  }
  if (length > 0) yield { lines: [end(Buffer.alloc(0))], bytesRead }
}
