import type { DeviceDetail, PushToDevice } from '@carillon/protocol/device-answers.ts'
import type { DeliveryWord } from '@carillon/protocol/names.ts'
import { Link } from '@tanstack/react-router'
import { ChannelBadge } from '../../parts/badges.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { Fate } from '../../parts/fate.tsx'
import { Empty, Panel } from '../../parts/panel.tsx'
import { TimeAgo } from '../../parts/time-ago.tsx'
import { useWords } from '../../words/language.tsx'
import { devicesWords } from '../devices.words.ts'
import style from './device.module.css'

/** What it was meant to get, the newest first, each with its trace. */
export const LastPushes = ({ device: { push_token, pushes, pushes_complete } }: { device: DeviceDetail }) => {
  const say = useWords(devicesWords)
  if (pushes.length === 0) {
    return (
      <Panel title={say.lastPushes}>
        <Empty title={say.noPushes}>{pushes_complete ? say.noPushesText : say.notAll}</Empty>
      </Panel>
    )
  }
  return (
    <Panel title={say.lastPushes} flush aside={!pushes_complete && <span className={style.soft}>{say.notAll}</span>}>
      <DataTable
        label={say.lastPushes}
        rows={pushes}
        rowKey={({ task_id }) => task_id}
        columns={[
          { title: say.push, cell: (push) => <Title push={push} pushToken={push_token} /> },
          { title: say.channel, wide: true, cell: ({ channel }) => channel && <ChannelBadge channel={channel} /> },
          { title: say.became, cell: (push) => <span className={style.soft}><Became push={push} /></span> },
          { title: say.when, align: 'end', wide: true, cell: ({ at }) => <TimeAgo at={at} /> },
        ]}
      />
    </Panel>
  )
}

/** Without a channel its state is why there is none. */
const Became = ({ push: { channel, state, reason } }: { push: PushToDevice }) =>
  channel ? <Fate state={state as DeliveryWord} /> : <Fate state="untargeted" reason={reason} why={state} />

const Title = ({ push: { task_id, title }, pushToken }: { push: PushToDevice; pushToken: string }) => {
  const say = useWords(devicesWords)
  const name = title ?? say.purged(String(task_id))
  return (
    <Link
      to="/tasks/$taskId"
      params={{ taskId: task_id }}
      search={{ device: pushToken }}
      aria-label={say.traceOf(name)}
      className={style.name}
    >
      {name}
    </Link>
  )
}
