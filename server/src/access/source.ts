import { isIPv4, isIPv6 } from 'node:net'

/**
 * What counts as one source of guesses. An IPv6 address is bucketed by its /64: that is what one customer gets, and
 * all of its 2^64 addresses are theirs to use.
 */
export const sourceOf = (address: string): string => {
  const bare = address.split('%')[0]!.toLowerCase()
  if (!isIPv6(bare)) return bare
  const mapped = bare.slice(bare.lastIndexOf(':') + 1)
  if (isIPv4(mapped)) return mapped
  const [head = '', tail] = bare.split('::')
  const front = head === '' ? [] : head.split(':')
  const back = tail ? tail.split(':') : []
  const words = [...front, ...Array<string>(8 - front.length - back.length).fill('0'), ...back]
  return `${words.slice(0, 4).map((word) => word.replace(/^0+(?=.)/, '')).join(':')}::/64`
}
