/** How long to wait before trying again. */
export interface Pauses {
  /** The longest first pause; it doubles with every failure. */
  firstMs: number
  longestMs: number
  /** After the server has said that it is shutting down, its devices come back spread over this long. */
  spreadMs: number
}

export const usualPauses: Pauses = { firstMs: 1_000, longestMs: 60_000, spreadMs: 30_000 }

/**
 * Exponential with full jitter: anything from nothing to the whole pause. All devices lose a server at the same moment;
 * only chance keeps them from coming back at the same moment too.
 */
export const pauseMs = ({ firstMs, longestMs }: Pauses, failures: number, chance: () => number): number =>
  chance() * Math.min(longestMs, firstMs * 2 ** Math.max(0, failures - 1))
