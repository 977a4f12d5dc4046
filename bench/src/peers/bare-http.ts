import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

// A program of its own: the least a Node server can do with the same call. It reads the body as JSON and answers in the
// same form; nothing is checked, stored or delivered. Prints its port.
let tasks = 0
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const body = JSON.parse(Buffer.concat(chunks).toString()) as { message?: unknown }
    tasks += 1
    const code = body.message === undefined ? 10002 : 200
    const answer = JSON.stringify({ code, data: { task_id: tasks }, message: null })
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) })
    response.end(answer)
  })
})
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
