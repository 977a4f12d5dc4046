/** How many were handed over and received at a moment, on one channel. */
export interface SeriesPoint {
  at: number
  channel: string
  sent: number
  received: number
}

/** The same over all channels, added up from nothing at its beginning. */
export const summed = (beginning: number, points: readonly SeriesPoint[]): { at: number; values: number[] }[] => {
  const sums = { sent: 0, received: 0 }
  const byMoment = new Map<number, number[]>(points.length > 0 ? [[beginning, [0, 0]]] : [])
  for (const { at, sent, received } of points.toSorted((a, b) => a.at - b.at)) {
    sums.sent += sent
    sums.received += received
    byMoment.set(at, [sums.sent, sums.received])
  }
  return Array.from(byMoment, ([at, values]) => ({ at, values }))
}
