import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'
import style from './notice.module.css'

interface Notice {
  tone: 'bad' | 'warn' | 'good' | 'cool'
  title?: string
  /** alert: read aloud at once; status: when there is a pause. Neither where it is there from the beginning. */
  role?: 'alert' | 'status'
  children?: ReactNode
}

const icons = { bad: 'alert', warn: 'alert', good: 'check', cool: 'bell' } as const

/** A line or two that should not be missed. */
export const Notice = ({ tone, title, role, children }: Notice) => (
  <div className={style.notice} data-tone={tone} role={role}>
    <Icon name={icons[tone]} />
    <div className={style.text}>
      {title && <p className={style.title}>{title}</p>}
      {children}
    </div>
  </div>
)
