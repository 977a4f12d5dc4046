/**
 * News between nodes: "look now", never the thing itself. What a nudge would have brought is found anyway by due time,
 * so a bus that loses everything delays and loses nothing.
 */
export type Topic =
  | 'tasks' // a task is due for planning
  | 'batches' // a vendor's batch is due
  | `own:${number}` // an own-channel batch is due on that node incarnation
  | 'changes' // the changes table has news
  | 'nodes' // a node has joined

export interface Bus {
  /** Many of one topic in a moment count as one. Never throws: what cannot be sent is lost. */
  nudge(topic: Topic): void
  /** Hears this node's nudges and the others'. Returns how to stop. */
  on(topic: Topic, listener: () => void): () => void
  state(): BusState
  close(): Promise<void>
}

/** Whether other nodes can be heard, and since when that is so, in Unix milliseconds. */
export type BusState = { connected: true; since: number } | { connected: false; since: number; why: string }
