import { Link } from '@tanstack/react-router'
import { Icon } from '../../parts/icon.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useWords } from '../../words/language.tsx'
import { overviewWords } from '../overview.words.ts'
import style from './overview.module.css'

const steps = [
  { to: '/browser', icon: 'browser', title: 'beginBrowser', text: 'beginBrowserText' },
  { to: '/certificates', icon: 'certificates', title: 'beginCertificate', text: 'beginCertificateText' },
  { to: '/compose', icon: 'compose', title: 'beginCompose', text: 'beginComposeText' },
] as const

/** The first steps, while there is no device yet. */
export const Begin = () => {
  const say = useWords(overviewWords)
  return (
    <Panel title={say.begin}>
      <ol className={style.steps}>
        {steps.map(({ to, icon, title, text }) => (
          <li key={to}>
            <Link to={to} className={style.step}>
              <Icon name={icon} size={20} />
              <span>
                <span className={style.what}>{say[title]}</span>
                <span className={style.why}>{say[text]}</span>
              </span>
            </Link>
          </li>
        ))}
      </ol>
    </Panel>
  )
}
