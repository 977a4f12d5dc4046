import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Runs at the end of `npm ci`, on whatever Node is there: plain JavaScript. Makes what `npm start` serves, the page, and what
// it starts quickly from. Without either the server still runs: it says at / what is missing, and runs the sources.
const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * @param {string} what
 * @param {string[]} needed
 * @param {string} folder
 * @param {string} script
 */
const make = (what, needed, folder, script) => {
  if (!['node', ...needed].every((name) => existsSync(join(root, 'node_modules', name)))) {
    console.log(`${what} is not built: development dependencies are left out. The server runs without it.`)
    return
  }
  const { status } = spawnSync(join(root, 'node_modules/.bin/node'), [script], { cwd: join(root, folder), stdio: 'inherit' })
  if (status !== 0) console.log(`${what} could not be built. The server runs without it; \`node ${script}\` in ${folder} tries again.`)
}

make('The bundle', ['rolldown'], 'scripts', 'bundle.ts')
make('The console', ['vite', 'react'], 'console', 'build.ts')
