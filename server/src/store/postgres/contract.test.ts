import { after } from 'node:test'
import { startPostgres } from '../../../../scripts/throwaway-postgres.ts'
import { keepsTheContract } from '../contract.fixture.ts'
import { openPostgres } from './postgres.ts'

const server = await startPostgres()
after(() => server.stop())

keepsTheContract(async (t) => {
  const store = await openPostgres(await server.database())
  t.after(() => store.close())
  return store
})
