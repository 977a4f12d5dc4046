import { LIST_MAX } from './limits.ts'
import type { ListKind } from './draft.ts'

/** What ends an item while typing or pasting: lines, tabs, and the commas of both languages. Names may hold spaces. */
const stops = ['\n', '\r', '\t', ',', ';', '，', '、', '；']
export const stopsOf: Record<ListKind, string[]> = {
  tag: stops,
  alias: stops,
  user_id: [...stops, ' '],
  push_token: [...stops, ' '],
}

/** The items of a list as they count: trimmed, none blank, each once, no more than fit; and how many did not. */
export const settleItems = (items: readonly string[]): { items: string[]; over: number } => {
  const known = [...new Set(items.map((item) => item.trim()).filter((item) => item !== ''))]
  return { items: known.slice(0, LIST_MAX), over: Math.max(0, known.length - LIST_MAX) }
}

const INT64_MAX = 2n ** 63n - 1n

/** Whether an item is one that the server would look for. */
export const isItem = (kind: ListKind, item: string): boolean => {
  if (kind === 'user_id') return /^[0-9]{1,19}$/.test(item) && BigInt(item) <= INT64_MAX
  const characters = Array.from(item).length // code points, as the protocol counts
  if (kind === 'push_token') return characters <= 512
  return characters <= 128 && new TextEncoder().encode(item).length <= 512
}
