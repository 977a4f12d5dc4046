/**
 * News between nodes: "look now", never the thing itself. What a nudge would have brought is found anyway by due time,
 * so a bus that loses everything delays and loses nothing.
 */
export type Topic =
  | 'tasks' // a task is due for planning
  | 'batches' // a vendor's batch is due
  | `own:${number}` // an own-channel batch is due on that node incarnation
  | 'changes' // the changes table has news

export interface Bus {
  nudge(topic: Topic): void
  on(topic: Topic, listener: () => void): () => void
  close(): Promise<void>
}
