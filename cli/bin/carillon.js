#!/usr/bin/env node
// The command. Any Node from 18 on can start it: one too old to run Carillon itself hands over to the pinned one.
import { handOver, newEnough } from './hand-over.js'

if (newEnough(process.versions.node)) await import('./run.js')
else handOver(process.argv.slice(2))
