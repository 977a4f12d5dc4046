import { type Options, help, readOptions } from './options.ts'
import { Screen } from './screen.ts'
import { Show } from './show.ts'
import { type Stage, setStage } from './stage.ts'

const screen = new Screen()
process.once('exit', () => screen.close()) // after a crash, too, the terminal is as it was

/** What to try by hand meanwhile. */
const addresses = ({ url, admin, simulators }: Stage): string[] => [
  `API          ${url}`,
  `reference    ${url}/docs`,
  `metrics      ${url}/metrics`,
  `simulators   ${simulators.inspectUrl}   what the vendors receive, as it comes`,
  `app_id       ${admin.appId}`,
  `admin token  ${admin.accessToken}`,
]

/** Resolves to the exit code. */
const run = async (options: Options): Promise<number> => {
  const ending = new AbortController()
  let failure: Error | undefined
  const fail = (why: Error): void => {
    if (!ending.signal.aborted) failure = why
    ending.abort()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    // Who asks twice is not kept waiting: the server notices that we are gone and ends by itself.
    process.on(signal, () => (ending.signal.aborted ? process.exit(1) : ending.abort()))
  }
  const closings: (() => unknown)[] = []
  try {
    const { signal } = ending
    const say = (text: string): void => screen.say(text)
    const onLog = ({ level, text }: { level: string; text: string }): void => screen.happened('server', `${level}: ${text}`)
    const stage = await setStage({ options, closings, signal, say, onLog, onEnd: fail })
    const show = new Show(stage, screen, signal)
    screen.open(addresses(stage))
    await show.begin()
    const timer = options.seconds === Infinity ? undefined : setTimeout(() => ending.abort(), options.seconds * 1000)
    await show.goOn().catch(fail)
    clearTimeout(timer)
    if (failure === undefined) await show.look()
    screen.close(show.scene)
  } catch (error) {
    fail(error as Error)
  }
  screen.close()
  for (const closing of closings.reverse()) await closing()
  if (failure === undefined) return 0
  process.stderr.write(`demo: ${failure.message}\n`)
  return 1
}

try {
  const options = readOptions(process.argv.slice(2))
  if (options) process.exitCode = await run(options)
  else process.stdout.write(help)
} catch (error) {
  process.stderr.write(`demo: ${(error as Error).message}\n`)
  process.exitCode = 2
}
