import { type BarredRow, shortNumber } from './job.ts'
import { median, shareOfGoal, verdictOf } from './statistics.ts'

const WIDTH = 860
const LABELS = 300
const VALUES = 90
const ROW = 30
const TOP = 34
const FONT = 'font-family="system-ui, sans-serif" font-size="13"'
const MOST = 2 // twice the goal is as far as the picture goes

const colours = { goal: '#2f7d4f', 'first bar': '#b08a1e', below: '#b0402f' } as const

const across = (share: number): number => LABELS + (Math.min(share, MOST) / MOST) * (WIDTH - LABELS - VALUES)

/** Bars of how much of each goal is reached, whichever way is better; a line at the goal, a tick at the first bar. */
export const plot = (rows: readonly BarredRow[]): string => {
  const height = TOP + rows.length * ROW + 14
  const goalAt = across(1)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" ${FONT}>`,
    '<title>Share of each goal that is reached</title>',
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    ...rows.map((row, i) => bar(row, TOP + i * ROW)),
    `<line x1="${goalAt}" y1="${TOP - 8}" x2="${goalAt}" y2="${height - 8}" stroke="#222222" stroke-width="1.5"/>`,
    `<text x="${goalAt}" y="${TOP - 14}" text-anchor="middle" fill="#222222">goal</text>`,
    `<text x="${LABELS}" y="${TOP - 14}" fill="#666666">dashed: first bar</text>`,
    '</svg>',
    '',
  ].join('\n')
}

const bar = (row: BarredRow, y: number): string => {
  const value = median(row.values)
  const end = across(shareOfGoal(value, row))
  const first = across(shareOfGoal(row.firstBar, row)).toFixed(1)
  const width = (end - LABELS).toFixed(1)
  return [
    `<text x="${LABELS - 10}" y="${y + 15}" text-anchor="end" fill="#222222">${row.what}</text>`,
    `<rect x="${LABELS}" y="${y + 2}" width="${width}" height="18" fill="${colours[verdictOf(row)]}"/>`,
    `<line x1="${first}" y1="${y - 1}" x2="${first}" y2="${y + 23}" stroke="#222222" stroke-dasharray="3 3"/>`,
    `<text x="${WIDTH - 12}" y="${y + 15}" text-anchor="end" fill="#222222">${shortNumber(value)} ${row.unit}</text>`,
  ].join('\n')
}
