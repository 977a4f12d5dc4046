import { alternate, ratios, type Bench, type Job, type Sample } from '../job.ts'
import type { HandedList } from '../peers/handed-list.ts'
import { sendHandedListWith } from '../peers/peers.ts'
import { gatherPhones, type Phones, startSimulated, withVendors } from '../simulated.ts'
import { sampleOf, sendThrough, shown } from './vendor-sending.ts'

/**
 * The same simulator for all, in a process of its own on the clients' core, over TLS. It takes Node about as long to
 * answer a push as to send one, so it is looked at twice: its share of its core is in the table as the client's, and a
 * sender that does nothing but send shows what comes through it at most.
 */
export const apns: Job = {
  name: 'apns',
  about:
    'One notification to 100,000 devices through a simulator of APNs, from the call until all are counted as sent; against ' +
    '@parse/node-apn handed the bare list of device tokens. The simulator is not what is measured as long as a bare ' +
    'node:http2 sender gets more through it than either.',
  run: async (bench) => {
    const count = bench.quick ? 2_000 : 100_000
    const warmUp = bench.quick ? 500 : 5_000
    bench.say(`  preparing ${count} devices`)
    const phones = await gatherPhones(bench.scratch, { apns: count }, warmUp)
    const samples = await alternate(bench, {
      carillon: () => sendOurs(bench, phones, warmUp),
      '@parse/node-apn': () => sendTheirs(bench, phones, warmUp, 'node-apn'),
      'bare node:http2': () => sendTheirs(bench, phones, warmUp, 'bare-http2'),
    })
    return {
      measured: 'devices a second; the client is the simulator',
      samples,
      rows: [
        {
          what: '100,000 devices through APNs against @parse/node-apn', unit: '×', better: 'more', firstBar: 0.8, goal: 1.2,
          values: ratios(samples.carillon, samples['@parse/node-apn']),
        },
      ],
    }
  },
}

const sendOurs = (bench: Bench, phones: Phones, warmUp: number): Promise<Sample> =>
  withVendors(bench, phones, (carillon, simulated) =>
    sendThrough(carillon, simulated, 'apns', { audience: 'all', count: phones.tokens.apns.length, warmUp }),
  )

const sendTheirs = async (
  { scratch }: Bench,
  phones: Phones,
  warmUp: number,
  peer: 'node-apn' | 'bare-http2',
): Promise<Sample> => {
  const simulated = await startSimulated(scratch, phones)
  const tokens = phones.tokens.apns
  const { app_id: topic, app_key: keyId, app_secret: teamId, certificate: signingKey } = phones.accounts.certificates.apns as Record<string, string>
  const list = {
    origin: simulated.urls.apns, ca: phones.identity.cert, topic, keyId, teamId, signingKey, ...shown,
    warmUp: tokens.slice(0, warmUp), tokens, simulators: simulated.pid,
  } as HandedList
  const sent = await sendHandedListWith(scratch, peer, list)
  await simulated.stop()
  return sampleOf(tokens.length, sent)
}
