import apn from '@parse/node-apn'
import { providerOptions } from './apns-access.ts'
import { readHandedList, sendHandedList } from './handed-list.ts'

// A program of its own: @parse/node-apn with a list of device tokens. Handed 40,000 in one call, all of them failed
// (ENHANCE_YOUR_CALM); lists of this many, two on their way, keep its connection full.
const LIST = 1_000
const LISTS_AT_ONCE = 2

const list = readHandedList()
const provider = new apn.Provider({
  ...providerOptions(list),
  // The clock of a request runs while it waits for a stream: the usual 5 s are over before a busy machine gets to it.
  requestTimeout: 60_000,
})

await sendHandedList(list, async (tokens) => {
  const alert = { title: list.title, body: list.body }
  const fields = { topic: list.topic, pushType: 'alert', priority: 10, alert, badge: 1, payload: { ext: list.ext } } as const
  const notification = new apn.Notification(fields)
  let at = 0
  const sendLists = async (): Promise<void> => {
    while (at < tokens.length) {
      const { failed } = await provider.send(notification, tokens.slice(at, (at += LIST)))
      if (failed.length > 0) throw new Error(`${failed.length} failed, the first with ${JSON.stringify(failed[0])}`)
    }
  }
  await Promise.all(Array.from({ length: LISTS_AT_ONCE }, sendLists))
})
