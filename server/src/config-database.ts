import { readFileSync } from 'node:fs'

/** A database's address with the password that a file holds; throws a sentence when it cannot be put in. */
export const withPassword = (url: string, file: string): string => {
  const password = readPassword(file)
  if (password === '') throw new Error('must name a file that holds a password: it is empty')
  const address = new URL(url)
  if (address.password !== '') throw new Error('must not be set where the address holds a password itself')
  address.password = encodeURIComponent(password)
  if (address.password === '') throw new Error('needs an address with a host: through a socket nobody is asked for a password')
  return address.href
}

const readPassword = (file: string): string => {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    throw new Error(`cannot be read: ${(error as Error).message}`, { cause: error })
  }
}
