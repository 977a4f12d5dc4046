import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keepsSharedLanes } from './shared-lanes.fixture.ts'
import { openSqlite } from './sqlite/sqlite.ts'

keepsSharedLanes(async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-lanes-'))
  const store = await openSqlite(folder)
  t.after(async () => {
    await store.close()
    await rm(folder, { recursive: true })
  })
  return store
})
