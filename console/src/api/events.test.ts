import test from 'node:test'
import { readEvents, type ServerEvent } from './events.ts'

/** The stream as a browser hands it over: cut anywhere, inside a character too. */
const streamed = (text: string, size: number): ReadableStream<Uint8Array<ArrayBuffer>> => {
  const bytes = new TextEncoder().encode(text)
  const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.slice(i * size, (i + 1) * size))
  return new ReadableStream({
    start: (controller) => {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })
}

const heard = async (text: string, size = text.length * 4): Promise<ServerEvent[]> => Array.fromAsync(readEvents(streamed(text, size)))

test('events are read whole, wherever the network cuts them', async (t) => {
  const text = 'event: overview\ndata: {"name":"钟"}\n\n: a comment\n\nevent: task\r\ndata: 1\r\ndata: 2\r\n\r\ndata:bare\n\n'
  const expected = [
    { name: 'overview', data: '{"name":"钟"}' },
    { name: 'task', data: '1\n2' },
    { name: 'message', data: 'bare' },
  ]
  for (const size of [1, 2, 3, 7, 1000]) t.assert.deepEqual(await heard(text, size), expected, `cut every ${size} bytes`)
})

test('an event that was cut off by the end is not one', async (t) => {
  t.assert.deepEqual(await heard('event: overview\ndata: {"half":'), [])
  t.assert.deepEqual(await heard('event: overview\ndata: {}\n'), [])
  t.assert.deepEqual(await heard('event: nothing to tell\n\n'), [])
})

test('who stops reading lets go of the stream', async (t) => {
  let cancelled = false
  const endless = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode('data: again\n\n')),
    cancel: () => {
      cancelled = true
    },
  })
  for await (const { data } of readEvents(endless)) {
    t.assert.equal(data, 'again')
    break
  }
  t.assert.equal(cancelled, true)
})
