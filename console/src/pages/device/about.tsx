import type { DeviceDetail, PushWishes } from '@carillon/protocol/device-answers.ts'
import { Link } from '@tanstack/react-router'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { Panel } from '../../parts/panel.tsx'
import { TimeAgo } from '../../parts/time-ago.tsx'
import { useWords } from '../../words/language.tsx'
import { devicesWords } from '../devices.words.ts'
import { hourText, quietKindOf } from '../user/quiet.ts'

/** Whose it is, by what it is known, and when it may be disturbed. */
export const About = ({ device }: { device: DeviceDetail }) => {
  const say = useWords(devicesWords)
  const quiet = useQuietWords()
  return (
    <Panel title={say.about}>
      <Facts>
        <Fact label={say.ofUser}>
          <Link to="/users/$userId" params={{ userId: device.user_id }}>
            {device.username}
          </Link>
        </Fact>
        <Fact label={say.pushToken}>
          <code>{device.push_token}</code>
          <CopyButton text={device.push_token} what={say.pushToken} />
        </Fact>
        <Fact label={say.guid}>
          <code>{device.device_guid}</code>
          <CopyButton text={device.device_guid} what={say.guid} />
        </Fact>
        <Fact label={say.seen}>
          <TimeAgo at={device.seen_at} />
        </Fact>
        <Fact label={say.firstSeen}>
          <TimeAgo at={device.created_at} />
        </Fact>
        <Fact label={say.pushes}>{device.push.enabled ? say.on : say.off}</Fact>
        <Fact label={say.quiet}>{quiet(device.push)}</Fact>
      </Facts>
    </Panel>
  )
}

const useQuietWords = (): ((push: PushWishes) => string) => {
  const say = useWords(devicesWords)
  return (push) => {
    const kind = quietKindOf(push)
    if (kind === 'app') return say.quietApp
    if (kind === 'never') return say.quietNever
    return say.quietOwn(hourText(push.no_push_start_hour!), hourText(push.no_push_end_hour!), push.time_zone ?? 'UTC')
  }
}
