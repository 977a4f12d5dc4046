import { argon2, randomBytes } from 'node:crypto'

// A program of its own: nothing but argon2id with the parameters of Carillon's passwords, so many at once for so many
// seconds. Prints hashes a second.
const [threads = 1, seconds = 1] = process.argv.slice(2).map(Number)
const parameters = { message: Buffer.from('a password'), memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 }
const ends = performance.now() + seconds * 1_000
let hashes = 0

const hashOn = (): Promise<void> =>
  new Promise((resolve, reject) => {
    const next = (): void => {
      if (performance.now() >= ends) return resolve()
      argon2('argon2id', { ...parameters, nonce: randomBytes(16) }, (error) => {
        if (error) return reject(error)
        hashes += 1
        next()
      })
    }
    next()
  })

const began = performance.now()
await Promise.all(Array.from({ length: threads }, hashOn))
console.log((hashes / (performance.now() - began)) * 1_000)
