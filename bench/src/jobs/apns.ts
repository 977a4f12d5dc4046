import { alternate, ratios, type Bench, type Job, type Row, type Sample } from '../job.ts'
import { outsidePackage } from '../outside-package.ts'
import { Parse } from '../parse-server.ts'
import type { ApnsAccess } from '../peers/apns-access.ts'
import { sendHandedListWith } from '../peers/peers.ts'
import { type Took, timed } from '../process.ts'
import type { Scratch } from '../scratch.ts'
import { gatherPhones, type Phones, type Simulated, startSimulated, withVendors } from '../simulated.ts'
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
    '@parse/node-apn handed the bare list of device tokens, and against Parse Server with its limits raised. The simulator ' +
    'is not what is measured as long as a bare node:http2 sender gets more through it than any of them.',
  run: async (bench) => {
    const count = bench.quick ? 2_000 : 100_000
    const warmUp = bench.quick ? 500 : 5_000
    const parseServer = await outsidePackage(bench, 'parse-server', '9.10.0')
    bench.say(`  preparing ${count} devices`)
    const phones = await gatherPhones(bench.scratch, { apns: count }, warmUp)
    const contenders: Record<string, () => Promise<Sample>> = {
      carillon: () => sendOurs(bench, phones, warmUp),
      '@parse/node-apn': () => sendList(bench, phones, warmUp, 'node-apn'),
      'bare node:http2': () => sendList(bench, phones, warmUp, 'bare-http2'),
    }
    if (parseServer !== undefined) contenders['Parse Server'] = () => sendFromParse(bench, phones, warmUp, parseServer)
    const samples = await alternate(bench, contenders)
    const against = (peer: string, firstBar: number, goal: number): Row[] =>
      (samples[peer] ? [{
        what: `100,000 devices through APNs against ${peer}`, unit: '×', better: 'more', firstBar, goal,
        values: ratios(samples.carillon!, samples[peer]),
      }] : [])
    return {
      measured: 'devices a second; the client is the simulator',
      samples,
      rows: [...against('@parse/node-apn', 0.8, 1.2), ...against('Parse Server', 2, 3)],
    }
  },
}

const sendOurs = (bench: Bench, phones: Phones, warmUp: number): Promise<Sample> =>
  withVendors(bench, phones, (carillon, simulated) =>
    sendThrough(carillon, simulated, 'apns', { audience: 'all', count: phones.tokens.apns.length, warmUp }),
  )

/** Measures a peer with a simulator of its own. */
const sendTheirs = async (
  scratch: Scratch,
  phones: Phones,
  send: (access: ApnsAccess, simulated: Simulated) => Promise<Took>,
): Promise<Sample> => {
  const simulated = await startSimulated(scratch, phones)
  const { app_id: topic, app_key: keyId, app_secret: teamId, certificate: signingKey } = phones.accounts.certificates.apns as Record<string, string>
  const access = { origin: simulated.urls.apns, ca: phones.identity.cert, topic, keyId, teamId, signingKey } as ApnsAccess
  const took = await send(access, simulated)
  await simulated.stop()
  return sampleOf(phones.tokens.apns.length, took)
}

const sendList = ({ scratch }: Bench, phones: Phones, warmUp: number, peer: 'node-apn' | 'bare-http2'): Promise<Sample> =>
  sendTheirs(scratch, phones, (access, { pid }) => {
    const tokens = phones.tokens.apns
    return sendHandedListWith(scratch, peer, { ...access, ...shown, warmUp: tokens.slice(0, warmUp), tokens, simulators: pid })
  })

const sendFromParse = ({ scratch }: Bench, phones: Phones, warmUp: number, installed: string): Promise<Sample> =>
  sendTheirs(scratch, phones, (access, { pid }) =>
    Parse.with(scratch, installed, access, async (parse) => {
      const tokens = phones.tokens.apns
      await parse.addDevices(scratch, tokens, warmUp)
      const { title, body, ext } = shown
      // Inside of `aps` the badge is passed on as it is; beside it, it would first be written to every device.
      const data = { aps: { alert: { title, body }, badge: 1 }, ext }
      await parse.send({ where: { deviceToken: tokens[0] } }, data, 1)
      await parse.send({ channels: ['warm'] }, data, warmUp)
      return timed(parse.running.pid, pid, () => parse.send({ where: {} }, data, tokens.length))
    }),
  )
