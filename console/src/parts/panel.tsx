import type { ReactNode } from 'react'
import { useId } from 'react'
import style from './panel.module.css'

interface Panel {
  title: string
  /** Beside the title: a link, a button, a legend. */
  aside?: ReactNode
  /** For tables: content reaches the edges. */
  flush?: boolean
  children: ReactNode
}

/** A part of a page with a heading of its own. */
export const Panel = ({ title, aside, flush = false, children }: Panel) => {
  const id = useId()
  return (
    <section className={style.panel} aria-labelledby={id}>
      <header className={style.head}>
        <h2 className={style.title} id={id}>
          {title}
        </h2>
        {aside && <div className={style.aside}>{aside}</div>}
      </header>
      <div className={flush ? style.flush : style.body}>{children}</div>
    </section>
  )
}

interface Stat {
  label: string
  value: ReactNode
  /** A line below: what it is measured against. */
  note?: ReactNode
}

/** One figure that is looked at often. */
export const Stat = ({ label, value, note }: Stat) => (
  <div className={style.stat}>
    <dt className={style.label}>{label}</dt>
    <dd className={style.value}>
      {value}
      {note && <span className={style.note}>{note}</span>}
    </dd>
  </div>
)

/** Figures in a row. */
export const Stats = ({ children }: { children: ReactNode }) => <dl className={style.stats}>{children}</dl>

/** Where nothing is yet: what would be here, and what to do next. */
export const Empty = ({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) => (
  <div className={style.empty}>
    <p className={style.emptyTitle}>{title}</p>
    {children && <p className={style.emptyText}>{children}</p>}
    {action}
  </div>
)
