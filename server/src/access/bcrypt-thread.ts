import { parentPort } from 'node:worker_threads'
import { compareSync } from 'bcryptjs'
import type { BcryptQuestion } from './bcrypt.ts'

// Plain JavaScript that computes for a tenth of a second and more: it has this thread to itself.
parentPort!.on('message', ({ password, hash }: BcryptQuestion) => parentPort!.postMessage(compareSync(password, hash)))
