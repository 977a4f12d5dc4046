import type { Tx } from './store.ts'

export interface AuditEntry {
  app: number
  at: number
  /** "admin token 3 (ci)", "user 7", "command line" */
  actor: string
  action: string
  /** No secrets. */
  detail: Record<string, unknown>
}

/** Operations that matter call this inside their own transaction: what happened is what is noted. */
export const writeAudit = async (tx: Tx, { app, at, actor, action, detail }: AuditEntry): Promise<void> => {
  await tx.run(
    'INSERT INTO audit_log (app, at, actor, action, detail) VALUES (?1, ?2, ?3, ?4, ?5)',
    app,
    at,
    actor,
    action,
    JSON.stringify(detail),
  )
}

/** The newest first; the next page begins before the last id of this one. */
export const auditRows = async (
  tx: Tx,
  { app, before, limit }: { app: number; before: number; limit: number },
): Promise<(AuditEntry & { id: number })[]> => {
  const rows = await tx.all<{ id: number; app: number; at: number; actor: string; action: string; detail: string }>(
    `SELECT id, app, at, actor, action, detail FROM audit_log
     WHERE app = ?1 AND id < ?2 ORDER BY id DESC LIMIT ?3`,
    app,
    before,
    limit,
  )
  return rows.map((row) => ({ ...row, detail: JSON.parse(row.detail) as Record<string, unknown> }))
}
