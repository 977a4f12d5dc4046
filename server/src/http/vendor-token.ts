import { Bind, Unbind } from '@carillon/protocol/bodies.ts'
import { badField, Refused } from '@carillon/protocol/errors.ts'
import { vendorOfProvider } from '@carillon/protocol/names.ts'
import { refusalSentences } from '@carillon/protocol/sentences/refusals.ts'
import type { Clock } from '../clock.ts'
import { bindVendorToken, unbindVendorTokens } from '../store/devices.ts'
import type { Store } from '../store/store.ts'
import { some } from './examples.ts'
import { type Route, route } from './route.ts'
import { known, thisDevice } from './this-device.ts'

export const vendorTokenRoutes = ({ store, clock }: { store: Store; clock: Clock }): Route[] => [
  route({
    method: ['POST', 'PUT'],
    path: '/user/token/bind',
    who: 'user',
    noun: 'vendor tokens',
    summary: 'Gives this device its vendor token for one provider and environment; whoever had it before loses it.',
    body: Bind,
    refuses: ['notFound', 'certificateUnknown'],
    example: { body: { device_token: some.vendor_token, provider: 3, platform: 'android' } },
    handle: async ({ scope, body }) => {
      const bound = await store.write(bindVendorToken, {
        device: thisDevice(scope, body),
        by: placeOf(body),
        token: body.device_token,
        platform: body.platform ?? null,
        now: clock.now(),
      })
      if (bound.ok) return
      if (bound.why === 'device') throw new Refused('notFound', refusalSentences.no_device())
      if (bound.why === 'certificate') throw new Refused('certificateUnknown', 'no certificate is named notifier_name')
      throw badField('notifier_name', 'is the name of several certificates: send provider too')
    },
  }),
  route({
    method: ['POST', 'DELETE'],
    path: '/user/token/unbind',
    who: 'user',
    noun: 'vendor tokens',
    summary: 'Forgets the vendor tokens of this device, of one provider or all.',
    body: Unbind,
    query: Unbind,
    refuses: ['notFound'],
    example: { body: { provider: 3 } },
    handle: async ({ scope, body, query }) => {
      const provider = body.provider ?? query.provider
      const vendor = provider === undefined ? null : vendorOfProvider[provider]!
      known(await store.write(unbindVendorTokens, { device: thisDevice(scope, body, query), vendor, now: clock.now() }))
    },
  }),
]

const placeOf = ({ notifier_name, provider, environment }: Bind) => {
  const vendor = provider === undefined ? null : vendorOfProvider[provider]!
  if (notifier_name !== undefined) return { notifier: notifier_name, vendor, environment }
  if (vendor === null) throw badField('provider', 'is required where notifier_name is not given')
  return { vendor, environment }
}
