import type { DeviceState } from '@carillon/sdk/device.ts'
import { Button, Group } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type BrowserDevice, signBrowserOut } from '../../device/browser-device.ts'
import { Badge, type Tone } from '../../parts/badges.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useWords } from '../../words/language.tsx'
import { browserWords } from '../browser.words.ts'
import style from './browser.module.css'
import { Labels } from './labels.tsx'

const tones: Record<DeviceState['kind'], Tone> = { connecting: 'cool', online: 'good', waiting: 'warn', stopped: 'bad' }

/** What this browser is, as a device. */
export const DeviceCard = ({ device: { state, userId }, pushToken }: { device: BrowserDevice; pushToken: string }) => {
  const say = useWords(browserWords)
  const leaving = useMutation({ mutationFn: signBrowserOut })
  const kind = state?.kind ?? 'connecting'
  return (
    <Panel
      title={say.device}
      aside={
        <Group gap="xs">
          <Button
            size="xs"
            leftSection={<Icon name="compose" size={14} />}
            renderRoot={(props) => <Link to="/compose" search={{ push_token: pushToken }} {...props} />}
          >
            {say.sendHere}
          </Button>
          <Button variant="default" size="xs" loading={leaving.isPending} onClick={() => leaving.mutate()}>
            {say.disconnect}
          </Button>
        </Group>
      }
    >
      <dl className={style.facts}>
        <dt>{say.state}</dt>
        <dd role="status">
          <Badge tone={tones[kind]} dot>
            {say[kind]}
          </Badge>{' '}
          {state && 'message' in state && (
            <span className={style.soft}>{say['why' in state ? state.why : 'lost'](state.message)}</span>
          )}
        </dd>
        <dt>{say.user}</dt>
        <dd>
          <Link to="/users/$userId" params={{ userId: userId! }}>
            {userId}
          </Link>
        </dd>
        <dt>{say.pushToken}</dt>
        <dd className={style.token}>
          <Link to="/devices/$pushToken" params={{ pushToken }}>
            <code>{pushToken}</code>
          </Link>
          <CopyButton text={pushToken} what={say.pushToken} />
        </dd>
      </dl>
      <Labels />
    </Panel>
  )
}
