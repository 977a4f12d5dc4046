import style from './code-block.module.css'
import { CopyButton } from './copy-button.tsx'

/** Text for machines, to read and to copy. `what`: what it is, in words. */
export const CodeBlock = ({ code, what }: { code: string; what: string }) => (
  <figure className={style.block}>
    <div className={style.corner}>
      <CopyButton text={code} what={what} />
    </div>
    {/* Focusable, because what scrolls must be reachable without a mouse. */}
    {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
    <pre className={style.code} tabIndex={0} role="region" aria-label={what}>
      <code>{code}</code>
    </pre>
  </figure>
)
