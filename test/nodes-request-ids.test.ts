// Once: it starts two nodes of its own.
import test from 'node:test'
import { startCluster } from './harness/cluster.ts'
import { notifyBytes, openLine } from './harness/line.ts'

const REQUESTS = 1_000
const TIMES = 64
/** Of each of these, all 64 are under way at once. */
const TOGETHER = 20

test('1,000 request_ids, each sent 64 times at once to two nodes, make 1,000 tasks and 64,000 equal answers', async (t) => {
  const cluster = await startCluster(t, ['http', 'http'])
  const userId = await cluster.addUser('meant')
  await cluster.tokenFor(userId, 'its device') // with somebody to push to, a second task would be a second push
  const nodes = cluster.having('http')
  const lines = await Promise.all(Array.from({ length: TIMES }, (_, i) => openLine(t, nodes[i % nodes.length]!.node.port)))

  const tasks = new Map<string, Set<number>>()
  let answered = 0
  for (let first = 0; first < REQUESTS; first += TOGETHER) {
    const ids = Array.from({ length: TOGETHER }, (_, i) => `request ${first + i}`)
    const requests = ids.map((request_id) =>
      notifyBytes(cluster.admin, { audience: { user_id: [userId] }, message: { title: request_id }, setting: { request_id } }),
    )
    for (const answers of await Promise.all(lines.map((line) => line.ask(requests)))) {
      answers.forEach(({ code, data, message }, i) => {
        if (code !== 200) throw new Error(`${ids[i]} was answered with ${code}: ${message}`)
        answered += 1
        const known = tasks.get(ids[i]!)
        if (known) known.add(data.task_id)
        else tasks.set(ids[i]!, new Set([data.task_id]))
      })
    }
  }
  t.assert.equal(answered, REQUESTS * TIMES)
  t.assert.deepEqual([...tasks.values()].filter(({ size }) => size !== 1), [], 'each request_id has one task')
  const told = [...tasks.values()].flatMap((ids) => [...ids]).sort((a, b) => a - b)
  t.assert.equal(new Set(told).size, REQUESTS)

  const stored: number[] = []
  for (let before = Number.MAX_SAFE_INTEGER; ; before = stored.at(-1)!) {
    const page = await cluster.ok<{ task_id: number }[]>(`/push/task/list?limit=500&before=${before}`, { token: cluster.admin })
    if (page.length === 0) break
    stored.push(...page.map(({ task_id }) => task_id))
  }
  t.assert.deepEqual(stored.reverse(), told, 'what is stored is what was answered')
})
