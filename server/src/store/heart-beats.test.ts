import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keepsHeartBeats } from './heart-beats.fixture.ts'
import { openSqlite } from './sqlite/sqlite.ts'

keepsHeartBeats(async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-beats-'))
  const store = await openSqlite(folder)
  t.after(async () => {
    await store.close()
    await rm(folder, { recursive: true })
  })
  return store
})
