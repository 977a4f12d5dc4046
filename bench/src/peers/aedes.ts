import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { Aedes } from 'aedes'

// A program of its own: aedes as its documentation starts it, in memory. Prints its port.
const broker = await Aedes.createBroker()
const server = createServer(broker.handle)
server.listen(0, '127.0.0.1', 4096, () => console.log((server.address() as AddressInfo).port))
