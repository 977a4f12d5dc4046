/** A text as it will be seen: what is left of it, what is put after it, and what is lost. */
export interface CutText {
  kept: string
  mark: string
  lost: string
}

const ELLIPSIS = '…'

/** Tells what became of a text. One that another took the place of is simply that other: nothing is shown as lost. */
export const cutOf = (written: string, shown: string): CutText => {
  if (written === shown) return { kept: shown, mark: '', lost: '' }
  if (written.startsWith(shown)) return { kept: shown, mark: '', lost: written.slice(shown.length) }
  const kept = shown.endsWith(ELLIPSIS) ? shown.slice(0, -ELLIPSIS.length) : undefined
  if (kept !== undefined && written.startsWith(kept)) return { kept, mark: ELLIPSIS, lost: written.slice(kept.length) }
  return { kept: shown, mark: '', lost: '' }
}

const whole = (text: string): CutText => ({ kept: text, mark: '', lost: '' })

/** The same for a text that was changed since: while one writes, what is known of it is a moment old. */
export const follow = (written: string, shown: string, now: string): CutText => {
  const cut = cutOf(written, shown)
  if (written === now) return cut
  if (cut.lost === '') return written === shown ? whole(now) : cut
  return now.length > cut.kept.length && now.startsWith(cut.kept)
    ? { ...cut, lost: now.slice(cut.kept.length) }
    : whole(now)
}
