import { readFileSync } from 'node:fs'
import { startSimulators, type SimulatorsOptions } from '@carillon/simulators/simulators.ts'

// A program of its own: the eight vendors' simulators, with the options of the file that its one argument names. Prints
// where they are.
const options = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as SimulatorsOptions
const { urls, inspectUrl } = await startSimulators(options)
console.log(JSON.stringify({ urls, inspectUrl }))
