import { parseArgs } from 'node:util'

export interface Options {
  /** Infinity: until somebody ends it. */
  seconds: number
  devices: number
  /** A folder to keep; undefined: a temporary one. */
  data: string | undefined
}

export const help = `npm run demo [-- --seconds N --devices N --data FOLDER]

Starts a server, simulators of the eight vendors and some thousand simulated devices, sends notifications of all kinds,
makes vendors misbehave now and then, and shows how the counters move. Everything is on this machine, in a temporary
folder; nothing is left when it ends.

  --seconds N     ends by itself N seconds after the first notification has arrived; otherwise Ctrl-C ends it
  --devices N     how many devices in all; default 4000
  --data FOLDER   a data folder to use and to keep, in place of a temporary one; its app demo gets the devices
`

const FEWEST = 100
const MOST = 100_000

/** undefined: help was asked for. Throws, in words, what cannot be done. */
export const readOptions = (args: string[]): Options | undefined => {
  const { values } = parseArgs({
    args,
    options: { seconds: { type: 'string' }, devices: { type: 'string' }, data: { type: 'string' }, help: { type: 'boolean' } },
  })
  if (values.help) return undefined
  return {
    seconds: values.seconds === undefined ? Infinity : whole('seconds', values.seconds, 1, 1_000_000),
    devices: values.devices === undefined ? 4_000 : whole('devices', values.devices, FEWEST, MOST),
    data: values.data,
  }
}

const whole = (flag: string, text: string, least: number, most: number): number => {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= least && value <= most) return value
  throw new Error(`--${flag} must be a whole number from ${least} to ${most}`)
}
