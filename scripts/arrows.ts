import { join } from 'node:path/posix'
import { channels } from '@carillon/protocol/names.ts'

/** One file leans on another; both by their path from the root. */
export interface Arrow {
  from: string
  to: string
}

const doors = ['server/http', 'server/gateway', 'server/vendors']
const steps = ['server/push', 'server/access']
const stores = ['server/store', 'server/bus', 'server/files']
/** What all of the server stands on; every other file right under server/src is part of main.ts's wiring. */
const ground = 'server/ground'
const groundFiles = /^(clock|config|log|metrics)\b/

/** What may lean on what: the places, or single files, that a place may import beside itself. */
const allowed: Record<string, readonly string[]> = {
  protocol: [],
  [ground]: ['protocol'],
  ...Object.fromEntries(stores.map((place) => [place, [ground, 'protocol']])),
  ...Object.fromEntries(steps.map((place) => [place, [...stores, ground, 'protocol']])),
  ...Object.fromEntries(doors.map((place) => [place, [...steps, ...stores, ground, 'protocol']])),
  'server/vendor': ['vendor', 'credentials', 'message', 'keys'].map((name) => `server/src/vendors/${name}.ts`).concat('protocol'),
  'server/main': [...doors, 'server/vendor', ...steps, ...stores, ground, 'protocol'],
  cli: ['server/main', ...doors, ...steps, ...stores, ground, 'simulators', 'protocol'],
  sdk: ['protocol'],
  simulators: ['protocol'],
  console: ['sdk', 'protocol'],
  // From the outside only: a test of the whole that reaches into the server proves less than a user sees.
  test: ['sdk', 'simulators', 'protocol'],
  bench: ['server/main', ...doors, ...steps, ...stores, ground, 'sdk', 'simulators', 'test', 'scripts', 'protocol'],
  // Starts the program as a user does, and is its devices, callers and vendors.
  demo: ['sdk', 'simulators', 'scripts/free-port.ts', 'scripts/needs.ts', 'protocol'],
  scripts: ['cli/bin/made-from.js', 'protocol'],
}

/** What tests lean on beside that: the programs they talk to, brought onto the machine and started. */
const forTests = ['free-port', 'shared-servers', 'throwaway-nats', 'throwaway-nginx', 'throwaway-postgres'].map((name) => `scripts/${name}.ts`)
const isTest = (file: string): boolean => file.startsWith('test/') || file.endsWith('.test.ts')

const placeOf = (file: string): string => {
  const [top = '', src, third = '', fourth] = file.split('/')
  if (top !== 'server' || src !== 'src') return top
  if (fourth === undefined) return groundFiles.test(third) ? ground : 'server/main'
  const isVendor = third === 'vendors' && channels.some((name) => fourth === `${name}.ts`)
  return isVendor ? 'server/vendor' : `server/${third}`
}

/** Static, dynamic and type imports alike, re-exports, and the files that worker threads start with. */
const specifiers = [
  /^(?:import|export)\s(?:[^'"`;]*?\sfrom\s+)?['"]([^'"]+)['"]/gm,
  /\bimport\(\s*['"]([^'"]+)['"]/g,
  /\bnew Worker\(\s*new URL\(\s*['"]([^'"]+)['"]/g,
]

/** The arrows of one file to files of ours. */
export const arrowsOf = (from: string, source: string): Arrow[] =>
  specifiers
    .flatMap((pattern) => [...source.matchAll(pattern)].map((match) => match[1]!))
    .flatMap((specifier) => {
      if (specifier.startsWith('.')) return [{ from, to: join(from, '..', specifier) }]
      const ours = /^@carillon\/([^/]+)\/(.+)$/.exec(specifier)
      return ours ? [{ from, to: `${ours[1]}/src/${ours[2]}` }] : []
    })

/** Why this arrow must not be; undefined when it may. */
export const complaint = ({ from, to }: Arrow): string | undefined => {
  const [here, there] = [placeOf(from), placeOf(to)]
  const may = allowed[here]
  if (may === undefined) return `${from}: ${here} has no rule yet: say in scripts/arrows.ts what it may import`
  // Vendors are siblings of one another although they share a folder.
  const athome = here === there && here !== 'server/vendor'
  const withinVendors = here === 'server/vendors' && there === 'server/vendor'
  if (athome || withinVendors || may.includes(there) || may.includes(to)) return undefined
  if (isTest(from) && forTests.includes(to)) return undefined
  return `${from} → ${to}: ${here} may import ${may.length > 0 ? may.join(', ') : 'nothing of ours'}`
}

/** Every ring of files that lean on one another, once, as the files along it. */
export const rings = (arrows: readonly Arrow[]): string[][] => {
  const targets = Map.groupBy(arrows, (arrow) => arrow.from)
  const found: string[][] = []
  const finished = new Set<string>()
  const trail: string[] = []
  const follow = (file: string): void => {
    const start = trail.indexOf(file)
    if (start >= 0) found.push([...trail.slice(start), file])
    if (start >= 0 || finished.has(file)) return
    trail.push(file)
    for (const { to } of targets.get(file) ?? []) follow(to)
    trail.pop()
    finished.add(file)
  }
  for (const file of targets.keys()) follow(file)
  return found
}
