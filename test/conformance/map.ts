import { type Area, areas, nameOf, type Row, rows } from './rows.ts'

const titles: Record<Area, string> = {
  token: 'Tokens',
  headers: 'Request headers and authentication',
  envelope: 'Response envelope and errors',
  certificate: 'Push certificates',
  'notify-audience': 'Notifications: the audience',
  'notify-setting': 'Notifications: the setting',
  'notify-message': 'Notifications: the message',
  'notify-platform': 'Notifications: platforms and vendors',
  statistics: 'Push statistics',
}

const introduction = `# Conformance

What was asked of Carillon, and the test that keeps it. Every row of the interface is here: the fields of each resource,
the headers, the envelope, each parameter and each value it may have, the limits, and what is said of authentication and
errors. What the interface leaves open is here too, with the answer that Carillon gives.

A test has the name it has here. \`npm test test/conformance\` runs them all; each talks to the real server from
outside.

Rows that speak of a vendor are held against its simulator (simulators/), which is as strict as the vendor itself: what
it took, and what it understood. No test needs an account or a network.`

const cell = (text: string): string => text.replaceAll('|', '\\|')

const lineOf = (line: Row): string => {
  const later = line.later === undefined ? '' : ` *${line.later}*`
  return `| **${cell(line.row)}** (${cell(line.asked)})${later} | ${cell(nameOf(line))} | ${line.area}.test.ts |`
}

const sectionOf = (area: Area): string =>
  [
    `## ${titles[area]}`,
    '',
    '| what was asked | the test that keeps it | in test/conformance |',
    '|---|---|---|',
    ...rows.filter((row) => row.area === area).map(lineOf),
  ].join('\n')

/** docs/conformance.md. */
export const renderMap = (): string => `${[introduction, ...areas.map(sectionOf)].join('\n\n')}\n`
