import { LaneList } from '@carillon/protocol/answers.ts'
import { providerOfVendor, type VendorName } from '@carillon/protocol/names.ts'
import { type Grounds, reasonOf } from '@carillon/protocol/sentences/reasons.ts'
import { some } from './examples.ts'
import { type Route, route } from './route.ts'

export interface ShownLane {
  vendor: VendorName
  environment: number
  state: 'open' | 'paused' | 'trying'
  trouble: (Grounds & { until: number }) | undefined
  doubtedSince: number | undefined
  requestsUnderWay: number
}

const wrongKey = 'the Team ID or Key ID is wrong (InvalidProviderToken)'

export const laneRoute = ({ lanes }: { lanes(app: number): Promise<ShownLane[]> }): Route =>
  route({
    method: 'GET',
    path: '/push/lane/list',
    who: 'admin',
    noun: 'certificates',
    summary: "The app's ways to its vendors that are in use, on whichever node: whether they take anything, and if not, why.",
    answer: LaneList,
    example: {
      answer: [
        {
          provider: 1, environment: 1, state: 'paused', why: wrongKey,
          reason: { name: 'denied', values: { words: wrongKey, said: 'InvalidProviderToken' } },
          until: some.at, tokens_dying_since: null, requests_under_way: 0,
        },
      ],
    },
    handle: async ({ scope }) => (await lanes(scope.app.id)).map(laneShown),
  })

/** A lane as an operator reads it. */
export const laneShown = ({ vendor, environment, state, trouble, doubtedSince, requestsUnderWay }: ShownLane) => ({
  provider: providerOfVendor[vendor],
  environment,
  state,
  why: trouble?.why ?? null,
  reason: (trouble && reasonOf(trouble)) ?? null,
  until: trouble?.until ?? null,
  tokens_dying_since: doubtedSince ?? null,
  requests_under_way: requestsUnderWay,
})
