import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'
import { meetNeeds } from './needs.ts'

const run = promisify(execFile)

export const postgresNeed = { command: 'pg_ctlcluster', debian: 'postgresql' }

/** A PostgreSQL of its own for a test: an empty cluster in a temporary folder on a free port, gone afterwards. */
export interface ThrowawayPostgres {
  /** Of a database that is there from the beginning, as the one who may do everything. */
  url: string
  /** A new database, empty or with what another one has, to which nobody is connected then; its URL. */
  database(like?: string): Promise<string>
  /** Ends the server without a word to anybody, as a crash would. */
  crash(): Promise<void>
  /** Starts it again on the same port, with what it had. */
  restart(): Promise<void>
  /** It keeps its port and its connections and does nothing, until it is thawed. */
  freeze(): Promise<void>
  thaw(): Promise<void>
  stop(): Promise<void>
}

/** PostgreSQL refuses to run as root: then it runs as the user that its package made. */
const runner = async (): Promise<{ uid?: number; gid?: number }> => {
  if (process.getuid?.() !== 0) return {}
  const [uid, gid] = await Promise.all(['-u', '-g'].map(async (flag) => Number((await run('id', [flag, 'postgres'])).stdout)))
  return { uid, gid }
}

/** The newest one that is installed; Debian keeps them off the PATH. */
const programs = async (): Promise<string> => {
  const root = '/usr/lib/postgresql'
  const versions = (await readdir(root)).map(Number).filter(Number.isInteger).sort((a, b) => b - a)
  return join(root, String(versions[0]), 'bin')
}

/** Runs one statement; resolves to the rows it gave, one a line. */
export const query = async (url: string, statement: string): Promise<string> => {
  const flags = ['--no-psqlrc', '--tuples-only', '--no-align', '--quiet', '--set=ON_ERROR_STOP=1']
  return (await run(join(await programs(), 'psql'), [...flags, '-c', statement, url])).stdout
}

/** Nobody needs what a test wrote after the power failed. */
const careless = ['fsync=off', 'full_page_writes=off']

/** `chosen`: settings of the server, in place of those for tests. */
export const startPostgres = async (chosen: readonly string[] = careless): Promise<ThrowawayPostgres> => {
  const unmet = meetNeeds('the tests', [postgresNeed])
  if (unmet !== undefined) throw new Error(unmet)
  const [as, bin] = [await runner(), await programs()]
  const folder = await mkdtemp(join(tmpdir(), 'carillon-postgres-'))
  if (as.uid !== undefined) await chown(folder, as.uid, as.gid!)
  const here = { ...as, cwd: folder }
  const data = join(folder, 'data')
  // A default order that is not the order of bytes: what should not depend on it is seen not to.
  const locale = ['--encoding=UTF8', '--locale=C.UTF-8', '--locale-provider=icu', '--icu-locale=en-US']
  await run(join(bin, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync', ...locale], here)

  let server: ChildProcess
  let port = 0
  /** False: the port was taken after all. */
  const start = async (): Promise<boolean> => {
    const settings = [...chosen, 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, 'max_connections=200']
    const child = spawn(join(bin, 'postgres'), ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])], {
      ...here, stdio: ['ignore', 'ignore', 'pipe'],
    })
    server = child
    let said = ''
    return new Promise((resolve, reject) => {
      child.stderr!.setEncoding('utf8').on('data', (text: string) => {
        said += text
        if (said.includes('ready to accept connections')) resolve(true)
      })
      child.once('exit', () => (said.includes('Address already in use') ? resolve(false) : reject(new Error(said))))
    })
  }
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return
    server.kill(signal)
    await once(server, 'exit')
  }
  /** To the server, then to the processes it has made, one a connection: frozen first, it makes no more of them. */
  const signalAll = async (signal: NodeJS.Signals): Promise<void> => {
    server.kill(signal)
    const children = await readFile(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8')
    for (const pid of children.split(' ').filter(Boolean)) {
      try {
        process.kill(Number(pid), signal)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error // its connection was closed a moment ago, and it with it
      }
    }
  }
  do port = await freePort()
  while (!(await start()))

  let databases = 0
  const urlOf = (database: string): string => `postgres://postgres@127.0.0.1:${port}/${database}`
  return {
    url: urlOf('postgres'),
    async database(like) {
      databases += 1
      const template = like === undefined ? '' : ` TEMPLATE ${new URL(like).pathname.slice(1)}`
      await query(urlOf('postgres'), `CREATE DATABASE carillon_${databases}${template}`)
      return urlOf(`carillon_${databases}`)
    },
    crash: () => end('SIGQUIT'),
    async restart() {
      if (!(await start())) throw new Error(`port ${port} is taken by somebody else`)
    },
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    async stop() {
      await end('SIGINT')
      await rm(folder, { recursive: true, force: true })
    },
  }
}
