import type { ReactNode } from 'react'
import style from './facts.module.css'

/** What is known of one thing, a line each. */
export const Facts = ({ children }: { children: ReactNode }) => <dl className={style.facts}>{children}</dl>

/** One line of them: its name, and what it is. */
export const Fact = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className={style.fact}>
    <dt className={style.label}>{label}</dt>
    <dd className={style.value}>{children}</dd>
  </div>
)
