import type { FoundDevice } from '@carillon/protocol/device-answers.ts'
import { Link } from '@tanstack/react-router'
import { Badge, ProviderBadge } from '../../parts/badges.tsx'
import type { Column } from '../../parts/data-table.tsx'
import { TimeAgo } from '../../parts/time-ago.tsx'
import { useWords } from '../../words/language.tsx'
import { devicesWords } from '../devices.words.ts'
import style from './devices.module.css'

/** How a list shows devices: among all, or those of one user. */
export const useDeviceColumns = (which: 'of all' | 'of a user'): Column<FoundDevice>[] => {
  const say = useWords(devicesWords)
  const user: Column<FoundDevice> = {
    title: say.ofUser,
    cell: ({ user_id, username }) => (
      <Link to="/users/$userId" params={{ userId: user_id }} className={style.name}>
        {username}
      </Link>
    ),
  }
  return [
    { title: say.device, cell: (device) => <Name device={device} /> },
    ...(which === 'of all' ? [user] : []),
    { title: say.seen, cell: (device) => <Seen device={device} /> },
    { title: say.vendors, wide: true, cell: ({ providers }) => <Vendors providers={providers} /> },
    { title: say.tags, wide: true, cell: ({ tags }) => <Tags tags={tags} /> },
    { title: say.firstSeen, wide: true, align: 'end', cell: ({ created_at }) => <TimeAgo at={created_at} /> },
  ]
}

const Name = ({ device: { push_token, alias, device_guid, platform } }: { device: FoundDevice }) => {
  const say = useWords(devicesWords)
  return (
    <>
      <Link to="/devices/$pushToken" params={{ pushToken: push_token }} className={style.name}>
        {alias ?? device_guid}
      </Link>
      <span className={style.below}>
        {say[platform]}
        {alias !== null && <> · {device_guid}</>}
      </span>
    </>
  )
}

const Seen = ({ device: { online, seen_at } }: { device: FoundDevice }) => {
  const say = useWords(devicesWords)
  return online ? (
    <Badge tone="good" dot>
      {say.online}
    </Badge>
  ) : (
    <span className={style.away}>
      <TimeAgo at={seen_at} />
    </span>
  )
}

const Vendors = ({ providers }: Pick<FoundDevice, 'providers'>) => (
  <span className={style.many}>
    {providers.map(({ provider, environment }) => (
      <ProviderBadge key={`${provider} ${environment}`} provider={provider} environment={environment} />
    ))}
  </span>
)

const TAGS_SHOWN = 3

const Tags = ({ tags }: Pick<FoundDevice, 'tags'>) => {
  const say = useWords(devicesWords)
  const more = tags.length - TAGS_SHOWN
  return (
    <span className={style.many}>
      {tags.slice(0, TAGS_SHOWN).map((tag) => (
        <span key={tag} className={style.tag}>
          <Badge>{tag}</Badge>
        </span>
      ))}
      {more > 0 && <span className={style.away}>{say.moreTags(more)}</span>}
    </span>
  )
}
