const DAY_MS = 86_400_000
const CHINA_MS = 8 * 3_600_000
/** After midnight, so that two clocks need not agree to the second. */
const LATE_MS = 60_000

/** When the day begins anew for vendors that count by it: all of them by China's clock. */
export const nextDay = (now: number): number => (Math.floor((now + CHINA_MS) / DAY_MS) + 1) * DAY_MS - CHINA_MS + LATE_MS
