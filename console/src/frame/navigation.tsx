import { Link } from '@tanstack/react-router'
import { useBrowserDevice } from '../device/browser-device.ts'
import { Icon, type IconName } from '../parts/icon.tsx'
import { useWords } from '../words/language.tsx'
import style from './frame.module.css'
import { frameWords } from './frame.words.ts'

type Section = 'overview' | 'compose' | 'tasks' | 'devices' | 'users' | 'certificates' | 'settings' | 'browser'

/** Where each page is. The icon has the section's name. */
const places = {
  overview: '/',
  compose: '/compose',
  tasks: '/tasks',
  devices: '/devices',
  users: '/users',
  certificates: '/certificates',
  settings: '/settings',
  browser: '/browser',
} as const satisfies Record<Section & IconName, string>

const groups: readonly (readonly Section[])[] = [
  ['overview', 'compose', 'tasks'],
  ['devices', 'users', 'certificates'],
  ['settings', 'browser'],
]

interface Navigation {
  alarms: number
  onGo?: () => void
}

const Place = ({ section, alarms, onGo }: { section: Section } & Navigation) => {
  const say = useWords(frameWords)
  const { unseen } = useBrowserDevice()
  return (
    <Link to={places[section]} className={style.place} activeOptions={{ exact: section === 'overview' }} onClick={onGo}>
      <Icon name={section} />
      <span>{say[section]}</span>
      {section === 'overview' && alarms > 0 && <Count of={alarms} words={say.alarms(alarms)} />}
      {section === 'browser' && unseen > 0 && <Count of={unseen} words={say.arrivals(unseen)} />}
    </Link>
  )
}

/** A number that asks to be looked at. */
const Count = ({ of, words }: { of: number; words: string }) => (
  <span className={style.alarms} title={words}>
    <span aria-hidden="true">{of}</span>
    <span className="unseen">{words}</span>
  </span>
)

/** All pages, in the side bar and in the phone's drawer. */
export const Navigation = (navigation: Navigation) => {
  const say = useWords(frameWords)
  return (
    <nav aria-label={say.pages} className={style.navigation}>
      {groups.map((sections) => (
        <ul key={sections[0]} className={style.group}>
          {sections.map((section) => (
            <li key={section}>
              <Place section={section} {...navigation} />
            </li>
          ))}
        </ul>
      ))}
    </nav>
  )
}

/** The phone's bar: what is used most, under the thumb. */
export const BottomBar = ({ onMore, alarms }: { onMore: () => void; alarms: number }) => {
  const say = useWords(frameWords)
  return (
    <nav aria-label={say.pages} className={style.bottom}>
      {(['overview', 'compose', 'tasks', 'devices'] as const).map((section) => (
        <Place key={section} section={section} alarms={alarms} />
      ))}
      <button type="button" className={style.place} onClick={onMore} aria-haspopup="dialog">
        <Icon name="more" />
        <span>{say.more}</span>
      </button>
    </nav>
  )
}
