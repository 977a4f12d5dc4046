/** One server-sent event. */
export interface ServerEvent {
  name: string
  data: string
}

/** Reads events off a streamed answer, as the HTML standard's "event stream" has them; ids and retry are not used. */
export const readEvents = async function* (bytes: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  let name = 'message'
  let data: string[] = []
  for await (const line of linesOf(bytes)) {
    if (line === '') {
      if (data.length > 0) yield { name, data: data.join('\n') }
      name = 'message'
      data = []
      continue
    }
    const [, field, value = ''] = /^([^:]*):? ?(.*)$/s.exec(line)!
    if (field === 'event') name = value
    else if (field === 'data') data.push(value)
  }
}

const linesOf = async function* (bytes: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = bytes.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader()
  try {
    for (let rest = ''; ;) {
      const { done, value } = await reader.read()
      if (done) return
      const lines = (rest + value).split(/\r\n|\n|\r(?!$)/)
      rest = lines.pop()!
      yield* lines
    }
  } finally {
    await reader.cancel()
  }
}
