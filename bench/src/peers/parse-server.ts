import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type ApnsAccess, providerOptions } from './apns-access.ts'

/** What the program is handed: the content of the file that its one argument names. */
export interface ParseSetup {
  /** The folder it is installed in. */
  installed: string
  database: string
  port: number
  appId: string
  masterKey: string
  apns: ApnsAccess
}

interface ParseServerPackage {
  ParseServer: { startApp(options: unknown): Promise<unknown> }
}

// A program of its own: Parse Server as its documentation starts it, on PostgreSQL, with its limits raised. It listens when
// it is ready.
const { installed, database, port, appId, masterKey, apns } = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as ParseSetup
process.env.PARSE_SERVER_LOGS_FOLDER = 'null' // it logs before it has read its options
const { ParseServer } = createRequire(`${installed}/`)('parse-server') as ParseServerPackage

await ParseServer.startApp({
  appId,
  masterKey,
  host: '127.0.0.1',
  port,
  serverURL: `http://127.0.0.1:${port}/parse`,
  mountPath: '/parse',
  databaseURI: database,
  databaseOptions: { max: 50 }, // connections; 10 unless told, which made no difference here
  silent: true,
  push: {
    // Devices it reads and hands over together; 100 unless told. A device took the same processor time with 1,000 as with
    // all of 50,000, and a sixth more with 100. How many batches are on their way has no limit: all are begun at once.
    queueOptions: { batchSize: 10_000 },
    ios: {
      ...providerOptions(apns),
      topic: apns.topic,
      // So all devices soon wait for a stream of the one connection. Node gives that 10 MB unless told, with which pushes to
      // 20,000 devices failed; and @parse/node-apn gives a request 5 s unless told, its waiting included.
      maxSessionMemory: 10_000,
      requestTimeout: 600_000,
    },
  },
})
