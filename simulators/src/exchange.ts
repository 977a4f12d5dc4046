import type { Answer, SimulatorRequest } from './simulator.ts'

/** One request on its way through a connection, and all that can be done to it there. */
export interface Exchange {
  request: SimulatorRequest
  /** Its connection was told to go away before this request: it must not be processed. */
  late: boolean
  /** False when the client was gone already. */
  answer(answer: Answer): boolean
  /** The head of an answer, and nothing after it. */
  begin(answer: Answer): void
  /** Ends this request alone, saying that it was not processed; on HTTP/1.1 the connection closes without an answer. */
  refuse(): void
  /** A TCP reset, after what was answered on this connection before. */
  reset(): void
  /** GOAWAY: requests processed before finish, this one and later ones are refused. On HTTP/1.1 as `refuse`. */
  goAway(code: number, data: string): void
  /** The connection stays open and hears nothing any more: no answers, no acknowledged pings. */
  freeze(): void
}

export type Serve = (exchange: Exchange) => void
