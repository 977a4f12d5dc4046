import { sequenceItems, type VendorName } from '@carillon/protocol/names.ts'
import { Refused } from '@carillon/protocol/errors.ts'
import { Type } from '@carillon/protocol/type.ts'
import { Text } from '@carillon/protocol/types.ts'
import { Gathering, readBody } from './body.ts'
import { type Route, route } from './route.ts'
import { Written } from './written.ts'

/** All reports being read at once: vendors send them in floods, and anybody can send something. */
const GATHERED_AT_ONCE = 16 * 1_048_576

const refusals = {
  unknown: () => new Refused('pathUnknown'),
  forged: () => new Refused('notAllowed', 'this report does not prove that it comes from the vendor'),
  malformed: () => new Refused('badParameter', 'the body is not what this vendor reports with'),
}

export interface VendorReport {
  secret: string
  vendor: VendorName
  headers: Readonly<Record<string, string>>
  body: string
}

export const vendorReceiptRoute = ({ report }: {
  /** What to answer; or why it is not taken. */
  report(report: VendorReport): Promise<{ outcome: 'taken'; answer: string } | { outcome: 'unknown' | 'forged' | 'malformed' }>
}): Route => {
  const gathering = new Gathering(GATHERED_AT_ONCE)
  return route({
    method: 'POST',
    path: '/push/receipt/:vendor/:secret',
    who: 'nobody',
    noun: 'receipts',
    summary: "A vendor reports deliveries, in its own form. The address is in the list of certificates, to be pasted into the vendor's console.",
    params: Type.Object({
      vendor: Text(32, { description: 'Which vendor, by a name that ospush_sequence knows; one that sends no reports is unknown here.' }),
      secret: Text(128, { description: 'Nobody guesses it.' }),
    }),
    upload: '*/*',
    document: 'application/json',
    refuses: ['pathUnknown', 'notAllowed', 'badParameter', 'bodyTooLarge', 'tooMany'],
    example: { params: { vendor: 'huawei', secret: '1-jx4cTqACnwzEyZ5ai_A47w' } },
    handle: async ({ params: { vendor, secret }, request }) => {
      const [name] = vendor === 'ups' || !Object.hasOwn(sequenceItems, vendor) ? [] : sequenceItems[vendor]!
      if (name === undefined) throw new Refused('pathUnknown')
      const body = Buffer.from(await readBody(request, gathering)).toString('utf8')
      const headers = Object.fromEntries(Object.entries(request.headers).map(([key, value]) => [key, [value].flat().join(', ')]))
      const received = await report({ vendor: name, secret, headers, body })
      if (received.outcome !== 'taken') throw refusals[received.outcome]()
      const { answer } = received
      return new Written(async (response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) }).end(answer)
      })
    },
  })
}
