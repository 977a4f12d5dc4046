import { after } from 'node:test'
import { startPostgres } from '../../../../scripts/throwaway-postgres.ts'
import { keepsSharedLanes } from '../shared-lanes.fixture.ts'
import { openPostgres } from './postgres.ts'

const server = await startPostgres()
after(() => server.stop())

keepsSharedLanes(async (t) => {
  const store = await openPostgres(await server.database())
  t.after(() => store.close())
  return store
})
