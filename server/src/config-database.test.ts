import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { ConfigError, readConfig } from './config.ts'

const fileWith = async (t: TestContext, content: string): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-password-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = join(folder, 'password')
  await writeFile(file, content)
  return file
}

test('the password of the database may stand in a file, whatever it is made of', async (t: TestContext) => {
  const CARILLON_DATABASE_PASSWORD_FILE = await fileWith(t, 'p@ss/w:rd % é \n')
  const { databaseUrl } = readConfig([], { CARILLON_DATABASE_URL: 'postgres://ann@db/carillon?sslmode=verify-full', CARILLON_DATABASE_PASSWORD_FILE })
  const { username, password, host, pathname, search } = new URL(databaseUrl)
  t.assert.deepEqual([username, host, pathname, search], ['ann', 'db', '/carillon', '?sslmode=verify-full'])
  t.assert.equal(decodeURIComponent(password), 'p@ss/w:rd % é ', 'all but the line break')
})

test('a password that cannot be put in is told with the other problems', async (t: TestContext) => {
  const [file, empty] = [await fileWith(t, 'secret'), await fileWith(t, '\n')]
  const problemsOf = (CARILLON_DATABASE_URL: string, CARILLON_DATABASE_PASSWORD_FILE: string): readonly string[] => {
    try {
      readConfig([], { CARILLON_DATABASE_URL, CARILLON_DATABASE_PASSWORD_FILE })
      return []
    } catch (error) {
      return (error as ConfigError).problems
    }
  }
  const told = [
    problemsOf('postgres://ann@db/carillon', `${file} not there`),
    problemsOf('postgres://ann@db/carillon', empty),
    problemsOf('postgres://ann:secret@db/carillon', file),
    problemsOf('postgres:///carillon?host=/run/postgresql', file),
    problemsOf('', file),
  ]
  const says = [/cannot be read: ENOENT/, /is empty/, /holds a password itself/, /with a host/, /CARILLON_DATABASE_URL must be set too/]
  told.forEach((problems, i) => {
    t.assert.equal(problems.length, 1)
    t.assert.match(problems[0]!, says[i]!)
    t.assert.match(problems[0]!, /CARILLON_DATABASE_PASSWORD_FILE/)
  })
})
