import { ownChannel } from '@carillon/protocol/names.ts'
import type { Push } from '../push/channel.ts'
import type { Version } from './packet.ts'

export const PUSH_TOPIC = 'push'

/** Server-sent events in place of MQTT. */
export const STREAM = 0

/** What a push is written as: MQTT of a version, or an event. */
export type Form = Version | typeof STREAM

const BADGE_WIDTH = 10 // counters are kept as Int32
const SENT_AT_WIDTH = 13 // Unix milliseconds until the year 2286

/** One finished PUBLISH or event, with the places that differ from device to device or from moment to moment. */
interface Template {
  bytes: Buffer
  /** -1 where this kind has no such field. */
  idAt: number
  expiryAt: number
  badgeAt: number
  sentAtAt: number
  /** What stands in the badge field now: neighbours mostly share it. */
  badge: number
}

/** The bytes around a payload, and where it begins in them. */
type Around = Pick<Template, 'bytes' | 'idAt' | 'expiryAt'> & { contentAt: number }

/**
 * A push as it goes down a connection, built once for all devices: one template for each kind (form, QoS, with or
 * without badge), made when first needed. A device gets a copy with its packet id and badge written over.
 */
export class EncodedPush {
  readonly #push: Push
  readonly #head: string
  readonly #templates: (Template | undefined)[] = new Array(12).fill(undefined)
  #now = 0

  constructor(push: Push) {
    this.#push = push
    this.#head = JSON.stringify(payload(push)).slice(0, -1)
  }

  /** Sets the time of sending and what is left until expiry, for all copies made from now on. */
  stamp(now: number): void {
    if (now === this.#now) return
    this.#now = now
    for (const template of this.#templates) if (template !== undefined) this.#writeTimes(template)
  }

  size(form: Form, qos: number, badge: number | null): number {
    return this.#template(form, qos, badge !== null).bytes.length
  }

  bytes(form: Form, qos: number, badge: number | null, id: number, again: boolean): Buffer {
    const template = this.#template(form, qos, badge !== null)
    if (badge !== null && badge !== template.badge) {
      writeDigits(template.bytes, template.badgeAt, BADGE_WIDTH, badge)
      template.badge = badge
    }
    const bytes = Buffer.allocUnsafe(template.bytes.length)
    bytes.set(template.bytes)
    if (template.idAt >= 0) {
      bytes[template.idAt] = id >> 8
      bytes[template.idAt + 1] = id & 0xff
      if (again) bytes[0]! |= 0x08
    }
    return bytes
  }

  #template(form: Form, qos: number, badged: boolean): Template {
    const kind = (form === 5 ? 4 : form === 4 ? 0 : 8) | (qos === 0 ? 0 : 2) | (badged ? 1 : 0)
    return (this.#templates[kind] ??= this.#build(form, qos, badged))
  }

  #build(form: Form, qos: number, badged: boolean): Template {
    const json = `${this.#head},"sent_at":${'0'.repeat(SENT_AT_WIDTH)}`
    const content = Buffer.from(badged ? `${json},"badge":${' '.repeat(BADGE_WIDTH - 1)}0}` : `${json}}`)
    const around = form === STREAM ? this.#event(content) : this.#publish(form, qos, content)
    const contentEnd = around.contentAt + content.length
    const template = {
      bytes: around.bytes,
      idAt: around.idAt,
      expiryAt: around.expiryAt,
      badgeAt: badged ? contentEnd - 1 - BADGE_WIDTH : -1,
      sentAtAt: around.contentAt + Buffer.byteLength(json) - SENT_AT_WIDTH,
      badge: 0,
    }
    this.#writeTimes(template)
    return template
  }

  /** JSON has no line breaks, so its data is one line. */
  #event(content: Buffer): Around {
    const head = Buffer.from(`id: ${this.#push.taskId}\nevent: push\ndata: `)
    const bytes = Buffer.concat([head, content, Buffer.from('\n\n')])
    return { bytes, contentAt: head.length, idAt: -1, expiryAt: -1 }
  }

  #publish(version: Version, qos: number, content: Buffer): Around {
    const topic = text(PUSH_TOPIC)
    const id = Buffer.alloc(qos === 0 ? 0 : 2)
    const properties = version === 5 ? this.#properties() : Buffer.alloc(0)
    const length = lengthBytes(topic.length + id.length + properties.length + content.length)
    const bytes = Buffer.concat([Buffer.of(0x30 | (qos << 1)), length, topic, id, properties, content])

    const idAt = 1 + length.length + topic.length
    return {
      bytes,
      contentAt: bytes.length - content.length,
      idAt: qos === 0 ? -1 : idAt,
      expiryAt: version === 5 ? idAt + id.length + 2 : -1, // after the length of the properties and the property's name
    }
  }

  /** Shorter than 128 bytes, so their length is one byte. */
  #properties(): Buffer {
    const list = Buffer.concat([
      Buffer.of(0x02, 0, 0, 0, 0), // message expiry interval
      Buffer.of(0x26), // user property
      text('task_id'),
      text(String(this.#push.taskId)),
    ])
    return Buffer.concat([Buffer.of(list.length), list])
  }

  #writeTimes(template: Template): void {
    writeDigits(template.bytes, template.sentAtAt, SENT_AT_WIDTH, this.#now)
    if (template.expiryAt < 0) return
    // At least 1: "now or never" is for us to keep, a client must not throw away what it just got.
    const seconds = Math.max(1, Math.ceil((this.#push.expiresAt - this.#now) / 1000))
    template.bytes.writeUInt32BE(Math.min(seconds, 0xffffffff), template.expiryAt)
  }
}

/** Blank fields are left out: a message was read without them, and JSON has no undefined. `ext` is what the caller wrote. */
const payload = ({ taskId, message, setting }: Push): Record<string, unknown> => ({
  task_id: taskId,
  channel: ownChannel,
  type: message.type ?? 'text',
  title: message.title,
  body: message.body,
  big_text: message.big_text,
  attachment_url: message.attachment_url,
  ext: message.ext,
  show_begin_time: message.show_begin_time,
  show_end_time: message.show_end_time,
  android: message.android,
  ios: message.ios,
  collapse_id: setting.collapse_id,
})

const text = (value: string): Buffer => {
  const bytes = Buffer.from(value)
  return Buffer.concat([Buffer.of(bytes.length >> 8, bytes.length & 0xff), bytes])
}

const lengthBytes = (length: number): Buffer => {
  const bytes: number[] = []
  for (let left = length; ; left >>>= 7) {
    if (left < 0x80) return Buffer.from([...bytes, left])
    bytes.push((left & 0x7f) | 0x80)
  }
}

/** Fixed width, filled up with spaces on the left: JSON allows white space before a value. */
const writeDigits = (bytes: Buffer, at: number, width: number, value: number): void => {
  let left = value
  for (let i = at + width - 1; i >= at; i -= 1) {
    bytes[i] = left > 0 || i === at + width - 1 ? 0x30 + (left % 10) : 0x20
    left = Math.floor(left / 10)
  }
}

const KEPT = 64

/** Batches and inboxes of the same task share one encoding: the newest tasks' are kept. */
export class EncodedPushes {
  readonly #byTask = new Map<number, EncodedPush>()

  of(push: Push): EncodedPush {
    let encoded = this.#byTask.get(push.taskId)
    if (encoded === undefined) {
      encoded = new EncodedPush(push)
      if (this.#byTask.size >= KEPT) this.#byTask.delete(this.#byTask.keys().next().value!)
    } else {
      this.#byTask.delete(push.taskId) // put back below, as the newest
    }
    this.#byTask.set(push.taskId, encoded)
    return encoded
  }
}
