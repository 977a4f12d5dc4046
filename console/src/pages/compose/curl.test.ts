import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { curlOf } from './curl.ts'

test('a shell hands curl the very request, whatever quotes, dollars and lines are in it', (t) => {
  const request = {
    audience: 'all',
    message: { title: `it's 5 o'clock at $HOME, "now" \`id\` \\ %s !!`, body: 'one\ntwo 钟' },
  }
  const command = curlOf('https://push.example.com', `app's`, request, 'YOUR_ADMIN_TOKEN')
  const shown = execFileSync('sh', ['-c', `curl() { for word do printf '%s\\0' "$word"; done; }\n${command}`])
    .toString()
    .split('\0')
  t.assert.equal(shown[0], 'https://push.example.com/push/notify')
  const headers = shown.filter((_, i) => shown[i - 1] === '-H')
  t.assert.deepEqual(headers, [`app_id: app's`, 'access-token: YOUR_ADMIN_TOKEN', 'content-type: application/json'])
  t.assert.deepEqual(JSON.parse(shown[shown.indexOf('-d') + 1]!), request)
})
