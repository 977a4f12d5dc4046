import { pageBefore, usePages } from '../../api/pages.ts'
import { keys } from '../../api/keys.ts'
import { useSession } from '../../api/session.tsx'
import { PagedTable } from '../../parts/paged-table.tsx'
import { Empty, Panel } from '../../parts/panel.tsx'
import { Moment } from '../../parts/time-ago.tsx'
import { named } from '../../parts/who.ts'
import { whoWords } from '../../parts/who.words.ts'
import { useWords } from '../../words/language.tsx'
import { settingsWords } from '../settings.words.ts'

const LIMIT = 50

/** Who did what. */
export const AuditLog = () => {
  const say = useWords(settingsWords)
  const who = useWords(whoWords)
  const { caller } = useSession()
  const query = usePages(keys.audit, async (before: number | undefined) =>
    pageBefore(await caller.audit({ before, limit: LIMIT }), LIMIT, ({ id }) => id),
  )
  return (
    <Panel title={say.audit} aside={say.auditLead} flush>
      <PagedTable
        label={say.audit}
        query={query}
        rowKey={({ id }) => id}
        empty={<Empty title={say.noAudit} />}
        columns={[
          { title: say.when, cell: ({ at }) => <Moment at={at} /> },
          { title: say.what, cell: ({ action }) => <code>{action}</code> },
          { title: say.who, cell: ({ actor }) => named(actor, who) },
          { title: say.detail, wide: true, cell: ({ detail }) => <code>{inWords(detail)}</code> },
        ]}
      />
    </Panel>
  )
}

const inWords = (detail: object): string =>
  Object.entries(detail)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
