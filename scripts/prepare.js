import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Runs at the end of `npm ci`, on whatever Node is there: plain JavaScript. Builds the page, so that `npm start` serves it.
const root = fileURLToPath(new URL('..', import.meta.url))
const needed = ['vite', 'node', 'react'].map((name) => join(root, 'node_modules', name))

if (!needed.every(existsSync)) {
  console.log('The console is not built: development dependencies are left out. The server runs without it.')
} else {
  const { status } = spawnSync(join(root, 'node_modules/.bin/node'), ['build.ts'], { cwd: join(root, 'console'), stdio: 'inherit' })
  // Where the page's tools do not run, the server still does, and says at / what is missing.
  if (status !== 0) console.log('The console could not be built. The server runs without it; `npm run build -w console` tries again.')
}
