import { connect } from 'node:net'
import { startProcess, type Running } from '../process.ts'
import type { Scratch } from '../scratch.ts'
import { freePort } from '../../../scripts/free-port.ts'

/** A broker to compare with; `port` speaks MQTT and asks nobody who they are. */
export interface Broker extends Running {
  port: number
}

/**
 * Mosquitto at its best: nothing is logged, kept or limited, and it does not look for every message through the list of
 * those who have it already (allow_duplicate_messages), which costs it most of its speed.
 */
const configuration = (port: number): string => `listener ${port} 127.0.0.1
allow_anonymous true
allow_duplicate_messages true
max_inflight_messages 0
max_queued_messages 0
persistence false
set_tcp_nodelay true
connection_messages false
log_type none
sys_interval 0
user root
`

export const startMosquitto = async (scratch: Scratch): Promise<Broker> => {
  const port = await freePort()
  const file = scratch.file(configuration(port))
  const running = await startProcess(scratch, 'mosquitto', ['-c', file], () => listens(port))
  return { ...running, port }
}

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
