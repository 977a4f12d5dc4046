import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keepsTheContract } from '../contract.fixture.ts'
import { openSqlite } from './sqlite.ts'

keepsTheContract(async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-contract-'))
  const store = await openSqlite(folder)
  t.after(async () => {
    await store.close()
    await rm(folder, { recursive: true })
  })
  return store
})
