import type { BoundToken } from '@carillon/protocol/device-answers.ts'
import { Badge, ChannelBadge } from '../../parts/badges.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Empty, Panel } from '../../parts/panel.tsx'
import { TimeAgo } from '../../parts/time-ago.tsx'
import { useWords } from '../../words/language.tsx'
import { devicesWords } from '../devices.words.ts'
import style from './device.module.css'

/** By what address each vendor reaches the device, and which of them it has called dead. */
export const VendorTokens = ({ tokens }: { tokens: BoundToken[] }) => {
  const say = useWords(devicesWords)
  if (tokens.length === 0) {
    return (
      <Panel title={say.tokens}>
        <Empty title={say.noTokens}>{say.noTokensText}</Empty>
      </Panel>
    )
  }
  return (
    <Panel title={say.tokens} flush>
      <DataTable
        label={say.tokens}
        rows={tokens}
        rowKey={({ vendor, environment }) => `${vendor} ${environment}`}
        columns={[
          { title: say.vendors, cell: ({ vendor, environment }) => <ChannelBadge channel={vendor} environment={environment} /> },
          { title: say.token, wide: true, cell: ({ token }) => <code className={style.code}>{token}</code> },
          { title: say.state, cell: ({ quarantined_at }) => <State since={quarantined_at} /> },
          { title: say.bound, align: 'end', cell: ({ bound_at }) => <TimeAgo at={bound_at} /> },
        ]}
      />
      {tokens.some(({ quarantined_at }) => quarantined_at !== null) && (
        <div className={style.notice}>
          <Notice tone="warn" title={say.quarantineTitle}>
            {say.quarantineText}
          </Notice>
        </div>
      )}
    </Panel>
  )
}

const State = ({ since }: { since: number | null }) => {
  const say = useWords(devicesWords)
  if (since === null) return <Badge tone="good">{say.inUse}</Badge>
  return (
    <span className={style.since}>
      <Badge tone="warn">{say.quarantined}</Badge> <TimeAgo at={since} />
    </span>
  )
}
