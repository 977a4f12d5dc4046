import test from 'node:test'
import { Flight } from './flight.ts'
import { deliveryOf } from './gateway.fixture.ts'

test('packet ids go round from 65535 to 1 and skip those still open', (t) => {
  const flight = new Flight()
  t.assert.equal(flight.add(deliveryOf(1)), 1)
  for (let task = 2; task <= 65_535; task += 1) flight.acknowledge(flight.add(deliveryOf(task)))
  t.assert.equal(flight.add(deliveryOf(70_000)), 2)
  t.assert.deepEqual(flight.deliveries.map(({ push }) => push.taskId), [1, 70_000])
})

test('an acknowledgement of something that is not open is nothing', (t) => {
  const flight = new Flight()
  const id = flight.add(deliveryOf(1))
  t.assert.equal(flight.acknowledge(id + 1), undefined)
  t.assert.equal(flight.acknowledge(id)?.push.taskId, 1)
  t.assert.equal(flight.acknowledge(id), undefined)
})

test('the last thousand settled tasks are remembered, older ones are not', (t) => {
  const flight = new Flight()
  for (let task = 1; task <= 1500; task += 1) flight.settle(task)
  t.assert.equal(flight.isSettled(1), false)
  t.assert.equal(flight.isSettled(500), true)
  t.assert.equal(flight.isSettled(1500), true)
})
