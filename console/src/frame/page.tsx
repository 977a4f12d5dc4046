import { type ReactNode, useEffect, useRef } from 'react'
import style from './frame.module.css'

interface Page {
  title: string
  /** One line below: what the page is about, or where one is. */
  lead?: ReactNode
  /** Buttons on the right. */
  actions?: ReactNode
  /** Before the title: the way back to the list. */
  before?: ReactNode
  children: ReactNode
}

let visited = false

/** A page: its heading, its name in the browser, and where the focus goes when one comes from another page. */
export const Page = ({ title, lead, actions, before, children }: Page) => {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Carillon`
  }, [title])
  useEffect(() => {
    // On the first page the browser's own order is right: the skip link comes first.
    if (visited) heading.current?.focus({ preventScroll: true })
    visited = true
  }, [])
  return (
    <div className={style.page}>
      {before && <div className={style.before}>{before}</div>}
      <div className={style.heading}>
        <div>
          <h1 className={style.title} ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead && <p className={style.lead}>{lead}</p>}
        </div>
        {actions && <div className={style.actions}>{actions}</div>}
      </div>
      {children}
    </div>
  )
}
