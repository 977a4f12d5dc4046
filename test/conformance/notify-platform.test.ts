import assert from 'node:assert/strict'
import { after } from 'node:test'
import { startVendorWorld } from '../harness/vendor-world.ts'
import { conform, type Keeps } from './conform.ts'
import { connectPhone, type Fields } from './phone.ts'
import { vendorObjects } from './rows.ts'
import { arrives, at, iosFields, page, sentTo, vendorFields } from './wire.ts'

const world = await startVendorWorld({ after })
const { carillon } = world
const phone = await connectPhone({ after }, carillon, 'ann')

const android = ['android', ...vendorObjects] as const
type PlatformObject = 'ios' | (typeof android)[number]

const messageWith = (object: PlatformObject, fields: unknown): Fields => ({ body: 'hello', [object]: fields })

/** What is known of an object afterwards: the task keeps it, and for ios and android the device gets it too. */
const known = async (object: PlatformObject, fields: unknown): Promise<unknown> => {
  const push = await phone.push(messageWith(object, fields))
  const kept = (await phone.kept(push.task_id)).message[object]
  if (object === 'ios' || object === 'android') assert.deepEqual(push[object], kept)
  else assert.ok(!(object in push), "vendors' objects are not the device's")
  return kept
}

const refuses = async (object: PlatformObject, field: string, wrong: Fields[]): Promise<void> => {
  for (const fields of wrong) {
    const { code, message } = await phone.refusal(messageWith(object, fields))
    assert.equal(code, 10002, JSON.stringify(fields))
    assert.match(message, new RegExp(`^message\\.${object}\\.${field} `))
  }
}

interface Trial {
  right: unknown[]
  wrong: unknown[]
  /** What must stand beside the field. */
  beside?: Fields
}

/** Each right value is known afterwards; blank is absent; each wrong one is refused by the field's path. */
const takes = async (object: PlatformObject, field: string, { right, wrong, beside }: Trial): Promise<void> => {
  for (const value of right) {
    const fields = { ...beside, [field]: value }
    assert.deepEqual(await known(object, fields), fields)
  }
  for (const blank of [undefined, null, '', ' ']) assert.equal(await known(object, { [field]: blank }), undefined)
  await refuses(object, field, wrong.map((value) => ({ ...beside, [field]: value })))
  await reachesVendor(object, field)
}

/** What a vendor has a place for stands there; a field it has none for does not keep it from taking the push. */
const reachesVendor = async (object: PlatformObject, field: string): Promise<void> => {
  if (object === 'ios') return arrives(world, 'apns', object, field, iosFields[field]!)
  const vendor = object === 'android' ? 'fcm' : object
  const onWire = vendorFields[vendor][field]
  if (onWire) return arrives(world, vendor, object, field, onWire)
  const fields = await sentTo(world, vendor, messageWith(object, { [field]: 'nowhere to go' }))
  assert.ok(!JSON.stringify(fields).includes('nowhere to go'))
}

const text: Trial = { right: ['a text', '7'], wrong: [7, true, ['a text'], { a: 'text' }] }
const flag: Trial = { right: [true, false], wrong: ['true', 1, 0] }
const zeroOrOne: Trial = { right: [0, 1], wrong: [2, -1, '0', true] }
const click: Trial = { right: ['intent', 'open_app'], wrong: ['open', 'INTENT', 1], beside: { intent: page } }

const takesObject = (object: PlatformObject): Keeps => async () => {
  assert.deepEqual(await known(object, { sound: 'bell' }), { sound: 'bell' })
  for (const blank of [undefined, null, {}, '', { sound: '' }]) assert.equal(await known(object, blank), undefined)
  for (const wrong of ['sound', 7, ['bell']]) {
    const { code, message } = await phone.refusal(messageWith(object, wrong))
    assert.deepEqual([code, message], [10002, `message.${object} must be an object`])
  }
}

const takesVendorObject = (object: (typeof vendorObjects)[number]): Keeps => async (t) => {
  await takesObject(object)(t)
  const { value, way, arrives: expected } = vendorFields[object].intent!
  const opensPage = { click_action: 'intent', intent: value }
  const message = { body: 'hello', android: { click_action: 'open_app' }, [object]: opensPage }
  const fields = await sentTo(world, object, message)
  assert.deepEqual(at(fields, way), expected)
}

const takesIntent = async (object: PlatformObject): Promise<void> => {
  await takes(object, 'intent', { right: [page], wrong: [7, [page]] })
  const opens = { click_action: 'intent', intent: page }
  assert.deepEqual(await known(object, opens), opens)
  const wrong = [
    undefined,
    '',
    ' ',
    'https://example.org',
    page.replace(';end', ''),
    page.replace(/component=[^;]*;/, ''),
    page.replace('org.example.app/', ''),
  ]
  await refuses(object, 'intent', wrong.map((intent) => ({ ...opens, intent })))
}

conform('notify-platform', {
  'message.ios': takesObject('ios'),
  'message.android': takesObject('android'),
  ...Object.fromEntries(vendorObjects.map((object) => [`message.${object}`, takesVendorObject(object)])),
  'message.ios and message.android': async () => {
    assert.deepEqual(await known('ios', { sound: 'bell', channel_id: 'news' }), { sound: 'bell' })
    assert.deepEqual(await known('android', { sound: 'bell', thread_id: 'news' }), { sound: 'bell' })
  },
  'message.ios.sound': () => takes('ios', 'sound', text),
  'message.ios.content_available': () => takes('ios', 'content_available', flag),
  'message.ios.mutable_content': () => takes('ios', 'mutable_content', flag),
  'message.ios.category': () => takes('ios', 'category', text),
  'message.ios.thread_id': () => takes('ios', 'thread_id', text),
  'message.ios.subtitle': () => takes('ios', 'subtitle', text),
  'message.ios.apns_collapse_id': () => takes('ios', 'apns_collapse_id', text),
  ...Object.fromEntries(
    android.flatMap((object): [string, Keeps][] => [
      [`message.${object}.sound`, () => takes(object, 'sound', text)],
      [`message.${object}.channel_id`, () => takes(object, 'channel_id', text)],
      [`message.${object}.click_action`, () => takes(object, 'click_action', click)],
      [`message.${object}.intent`, () => takesIntent(object)],
    ]),
  ),
  'message.huawei.badge_class': () => takes('huawei', 'badge_class', text),
  'message.honor.badge_class': () => takes('honor', 'badge_class', text),
  'message.vivo.push_mode': () => takes('vivo', 'push_mode', zeroOrOne),
  'message.vivo.classification': () => takes('vivo', 'classification', zeroOrOne),
})
