import { channels, taskStates } from '@carillon/protocol/names.ts'
import { type Cell, type Family, Registry } from './metrics-kinds.ts'

/** Everything a node measures, once: name, meaning, and the cell that whoever does the work adds to. */
const metrics = new Registry()

export const metricsText = (): string => metrics.text()

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const COUNTS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000]

/** Cells for labels known beforehand: shown as 0 from the start, so that rates are right from the first one. */
const cells = <const K extends readonly string[]>(family: Family<Cell>, labels: K): Record<K[number], Cell> =>
  Object.fromEntries(labels.map((label) => [label, family.of(label)])) as Record<K[number], Cell>

// The HTTP door.
export const requests = metrics.counters(
  'carillon_http_requests_total',
  'Calls answered, by route and code of the answer.',
  ['route', 'code'],
)
export const requestSeconds = metrics.histograms(
  'carillon_http_request_seconds',
  'From the headers to the answer, by route.',
  ['route'], SECONDS,
)

// The path of a push.
export const notifications = cells(
  metrics.counters(
    'carillon_notifications_total',
    'Notifications stored, or answered with the first task of their request_id.',
    ['outcome'],
  ),
  ['accepted', 'repeated'],
)
export const transitions = cells(
  metrics.counters('carillon_task_transitions_total', 'Tasks that reached a state.', ['to']),
  taskStates,
)
const plannedPages = metrics.counter('carillon_planned_pages_total', 'Pages of devices turned into batches.')
const plannedDevices = metrics.counter('carillon_planned_devices_total', 'Devices in those pages.')
export const countPage = (batches: readonly { devices: readonly number[] }[]): void => {
  plannedPages.value += 1
  for (const { devices } of batches) plannedDevices.value += devices.length
}

const outcomes = ['sent', 'written', 'queued', 'later', 'away', 'dead', 'refused', 'denied', 'lost', 'unknown'] as const
const handed = metrics.counters(
  'carillon_deliveries_total',
  'Pushes handed to a channel, by what became of that.',
  ['channel', 'outcome'],
)
const handedOn = new Map(
  channels.map((channel) => {
    const byOutcome = outcomes.map((kind) => [kind, handed.of(channel, kind)] as const)
    return [channel as string, Object.fromEntries(byOutcome)] as const
  }),
)
export const countOutcomes = (channel: string, kinds: readonly { kind: (typeof outcomes)[number] }[]): void => {
  const counted = handedOn.get(channel)
  if (counted) for (const { kind } of kinds) counted[kind]!.value += 1
}

// The vendors.
export const vendorAnswers = metrics.counters(
  'carillon_vendor_answers_total',
  "What vendors' answers say of single devices.",
  ['channel', 'verdict'],
)
export const vendorRequests = metrics.counters(
  'carillon_vendor_requests_total',
  'Requests to vendors: answered, certainly not sent, or lost on the way.',
  ['channel', 'became'],
)
export const unknownCodes = metrics.counters(
  'carillon_vendor_unknown_codes_total',
  'Pushes refused because the vendor kept answering with a code nobody knows.',
  ['channel'],
)
export const vendorReceipts = metrics.counters(
  'carillon_vendor_receipts_total',
  'Calls of vendors that report deliveries: taken, forged or malformed.',
  ['channel', 'outcome'],
)
export const lanesIn = metrics.gauge('carillon_lanes', 'Lanes (app, vendor, environment) in use, by state.', 'state')
export const laneAlarms = metrics.gauge(
  'carillon_lane_alarms',
  'Lanes whose dead tokens are not believed, because there are too many of them.',
)

export const receiptsGathered = cells(
  metrics.counters(
    'carillon_receipts_total',
    'Marks gathered for the ledger: written to a connection, or told by a device or vendor.',
    ['event'],
  ),
  ['sent', 'received', 'shown', 'clicked', 'dismissed'],
)
export const loopErrors = metrics.counters(
  'carillon_loop_errors_total',
  'Turns of a loop that failed; it goes on by itself.',
  ['loop'],
)

// Devices.
export const sessionsOnline = metrics.gauge('carillon_sessions_online', 'Devices connected to this node.')
export const greetings = cells(
  metrics.counters(
    'carillon_greetings_total',
    'Connections that have not shown yet who they are, by how that ended.',
    ['outcome'],
  ),
  ['accepted', 'refused', 'broken', 'turned away'],
)
export const sessionsOpened = metrics.counters('carillon_sessions_opened_total', 'Sessions, by protocol.', ['protocol'])
export const sessionsClosed = metrics.counters(
  'carillon_sessions_closed_total',
  'Sessions ended, by reason.',
  ['reason'],
)
export const inboxReads = metrics.counter('carillon_inbox_reads_total', 'Pages of an inbox read for a session.')
export const inboxPushes = metrics.counter('carillon_inbox_pushes_total', 'Pushes found in those pages.')

// The store.
export const storeGroups = metrics.counter(
  'carillon_store_groups_total',
  'Groups of writes committed or refused together.',
)
export const storeGroupCalls = metrics.histogram('carillon_store_group_calls', 'Writes in a group.', COUNTS)
export const storeCommitSeconds = metrics.histogram(
  'carillon_store_commit_seconds',
  'From the beginning of a group to its sync.',
  SECONDS,
)
export const storeBacklog = metrics.gauge('carillon_store_backlog', 'Writes that wait for their group.')
export const storeUnavailable = metrics.counter(
  'carillon_store_unavailable_total',
  'Writes refused because the store could not take them.',
)

// The other nodes.
export const busConnected = metrics.gauge('carillon_bus_connected', 'Whether other nodes can be heard: 1 or 0.')
busConnected.read = () => 1 // a single node has nobody to lose
export const changesHeard = metrics.gauge('carillon_changes_heard', 'Number of the newest change (a revocation, a setting, a certificate) that this node goes by.')
export const nodesAlive = metrics.gauge('carillon_nodes_alive', 'Nodes that have lately said they live, this one included.')
export const nudges = cells(
  metrics.counters('carillon_nudges_total', 'Nudges between nodes: sent, received, or lost because the bus was deaf.', ['became']),
  ['sent', 'received', 'lost'],
)

// Who is calling.
export const passwordsRunning = metrics.gauge('carillon_passwords_running', 'Passwords being hashed.')
export const passwordsWaiting = metrics.gauge('carillon_passwords_waiting', 'Passwords that wait for a hash thread.')
export const passwordsRefused = metrics.counter(
  'carillon_passwords_refused_total',
  'Calls refused because too many passwords waited.',
)
export const throttled = cells(
  metrics.counters(
    'carillon_throttle_refusals_total',
    'Attempts not made because there were too many before them, by what was locked.',
    ['lane'],
  ),
  ['account', 'address', 'registration', 'waiting'],
)

// The process; its watch is in metrics-process.ts.
export const eventLoopDelay = metrics.gauge(
  'carillon_event_loop_delay_seconds',
  'How late the event loop was since the last look.',
  'quantile',
)
export const heapBytes = metrics.gauge('carillon_heap_bytes', 'JavaScript heap in use.')
export const residentBytes = metrics.gauge('process_resident_memory_bytes', 'Resident memory.')
export const cpuSeconds = metrics.gauge(
  'process_cpu_seconds_total',
  'User and system time, all threads.',
  undefined, 'counter',
)
export const startedAt = metrics.gauge('process_start_time_seconds', 'When the process started, in Unix seconds.')
