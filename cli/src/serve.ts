import { once } from 'node:events'
import { makeAdminToken, makeApp } from '@carillon/server/access/apps.ts'
import { systemClock } from '@carillon/server/clock.ts'
import { readConfig, settingsHelp, unknownVariables } from '@carillon/server/config.ts'
import { makeLog } from '@carillon/server/log.ts'
import { startServer } from '@carillon/server/main.ts'
import { tlsProblems } from '@carillon/server/tls.ts'
import { listApps } from '@carillon/server/store/apps.ts'
import type { Store } from '@carillon/server/store/store.ts'
import { actor } from './command.ts'

const STOP_MS = 9_500 // in all, so that whoever waits 10 s sees an exit code of ours

export const serveHelp = (): string =>
  [
    'carillon serve',
    'Runs the server until it is told to stop (SIGTERM, Ctrl-C). Every setting is a flag and a variable:',
    settingsHelp(),
    'Examples:\n  carillon serve\n  carillon serve --host 0.0.0.0 --port 8080 --data /var/lib/carillon',
  ].join('\n\n')

/** Runs the server until a signal. */
export const serve = async (args: string[]): Promise<number> => {
  const config = readConfig(args, process.env, (read) => tlsProblems(read, systemClock.now()))
  const log = makeLog(config.logLevel)
  for (const name of unknownVariables(process.env)) log.warn(`${name} is set, but is not a setting of this version; see carillon serve --help`)
  const stopped = Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')])
  const running = await startServer(config, log)
  if (config.tlsCert !== '') process.on('SIGHUP', () => running.renewCertificate())
  const token = config.parts.includes('http') ? await firstToken(running.store) : undefined // what it shows is answered there
  if (token !== undefined) console.log(welcome(running.httpUrl, token))
  console.log(['carillon ready', ...running.doors].join(' '))
  await stopped
  log.info('stopping')
  const late = setTimeout(() => {
    log.error('did not stop in time; what was in flight is taken up again at the next start')
    process.exit(0)
  }, STOP_MS)
  await running.close()
  clearTimeout(late)
  return 0
}

/** The very first start makes an app to try things with, and its admin token, shown this once. */
const firstToken = async (store: Store): Promise<string | undefined> => {
  if ((await store.read(listApps, {})).length > 0) return undefined
  const writing = { store, clock: systemClock }
  const { app, made } = await makeApp(writing, { appId: 'demo', name: 'Demo', actor })
  return made ? (await makeAdminToken(writing, app, { name: 'first start', expiresAt: null, actor })).token : undefined
}

const welcome = (url: string, token: string): string => {
  const call = (path: string, body: string): string =>
    `curl -s ${url}${path} -H 'app_id: demo' -H 'access-token: ${token}' -H 'content-type: application/json' -d '${body}'`
  return [
    '',
    'Welcome to Carillon. The app demo was made to try things with.',
    '',
    `Its admin token, shown this once:  ${token}`,
    `Console, to sign in with it:       ${url}/`,
    `API reference:                     ${url}/docs`,
    '',
    'Send a notification to everybody, then ask what became of it:',
    '',
    call('/push/notify', '{"audience":"all","message":{"title":"Hello","body":"from Carillon"}}'),
    '',
    call('/push/task/detail', '{"list":[1]}'),
    '',
  ].join('\n')
}
