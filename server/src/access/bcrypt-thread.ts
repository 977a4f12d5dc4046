import { parentPort } from 'node:worker_threads'
import { compareSync } from 'bcryptjs'

export interface BcryptQuestion {
  password: string
  hash: string
}

// Plain JavaScript that computes for a tenth of a second and more: it has this thread to itself.
parentPort!.on('message', ({ password, hash }: BcryptQuestion) => parentPort!.postMessage(compareSync(password, hash)))
