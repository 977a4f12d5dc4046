import { keepsTheContract } from './contract.fixture.ts'
import { memoryBus } from './memory.ts'

keepsTheContract(async (t) => {
  const bus = memoryBus()
  t.after(() => bus.close())
  return bus
})
