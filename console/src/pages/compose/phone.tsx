import type { ChannelName } from '@carillon/protocol/names.ts'
import { useState } from 'react'
import { useSession } from '../../api/session.tsx'
import { Icon } from '../../parts/icon.tsx'
import { useNow } from '../../parts/now.ts'
import { useLanguage, useWords } from '../../words/language.tsx'
import type { CutText } from './cut.ts'
import { type Draft, valueOf } from './draft.ts'
import style from './phone.module.css'
import { previewWords } from './preview.words.ts'
import type { Seen } from './seen.ts'

interface Phone {
  channel: ChannelName
  name: string
  seen: Seen
  draft: Draft
}

/** Where a maker puts the app's icon: large beside the text, or, as most do, in a line above it. */
const looks: Partial<Record<ChannelName, 'ios' | 'side'>> = {
  apns: 'ios',
  xiaomi: 'side',
  oppo: 'side',
  vivo: 'side',
  flyme: 'side',
}

/** A phone as its owner finds it, with the notification on it. */
export const Phone = ({ channel, name, seen, draft }: Phone) => {
  const words = useWords(previewWords)
  const { formats } = useLanguage()
  const now = useNow()
  const look = looks[channel] ?? 'line'
  return (
    <div className={style.phone} data-look={look} data-channel={channel} role="group" aria-label={words.phoneOf(name)}>
      <div className={style.screen}>
        {look === 'ios' ? (
          <div className={style.lock} aria-hidden="true">
            <span className={style.day}>{formats.date(now)}</span>
            <span className={style.clock}>{formats.time(now)}</span>
          </div>
        ) : (
          <div className={style.bar} aria-hidden="true">
            <span>{formats.time(now)}</span>
            <span>{name}</span>
          </div>
        )}
        {seen.isCarried && !seen.isSilent ? (
          <Card look={look} seen={seen} badge={valueOf(draft, 'message.badge').trim()} />
        ) : (
          <p className={style.nothing}>{seen.isCarried ? words.silent : words.notCarried}</p>
        )}
      </div>
    </div>
  )
}

const Card = ({ look, seen, badge }: { look: string; seen: Seen; badge: string }) => {
  const words = useWords(previewWords)
  const { session } = useSession()
  const [isUnfolded, unfold] = useState(true)
  const hasMore = seen.long !== undefined || seen.picture !== undefined || seen.body.kept.length > FOLDED
  const text = isUnfolded && seen.long ? seen.long : seen.body
  const isEmpty = seen.title.kept + seen.body.kept + seen.subtitle === '' && !seen.picture
  return (
    <div className={style.card} data-unfolded={isUnfolded}>
      <AppIcon name={session.name} badge={badge} />
      <p className={style.app}>
        <span className={style.appName}>{session.name}</span>
        <span className={style.ago}>{words.justNow}</span>
      </p>
      <div className={style.words}>
        {isEmpty && <p className={style.hint}>{words.nothingYet}</p>}
        {seen.title.kept + seen.title.lost !== '' && (
          <p className={style.title}>
            <Cut text={seen.title} />
          </p>
        )}
        {seen.subtitle !== '' && <p className={style.subtitle}>{seen.subtitle}</p>}
        {text.kept + text.lost !== '' && (
          <p className={style.body}>
            <Cut text={text} />
          </p>
        )}
      </div>
      {seen.hasClip && <p className={style.clip}>{words.clip}</p>}
      {seen.picture && <Picture key={seen.picture} address={seen.picture} isLarge={isUnfolded} />}
      {hasMore && look !== 'ios' && (
        <button type="button" className={style.unfold} aria-expanded={isUnfolded} onClick={() => unfold(!isUnfolded)}>
          <span className="unseen">{isUnfolded ? words.fold : words.unfold}</span>
          <Icon name="down" size={16} />
        </button>
      )}
    </div>
  )
}

/** About what fits on the line that is shown folded. */
const FOLDED = 36

/** What is lost stands behind, struck out: one sees what to shorten. */
const Cut = ({ text: { kept, mark, lost } }: { text: CutText }) => {
  const words = useWords(previewWords)
  return (
    <>
      {kept}
      {mark}
      {lost !== '' && (
        <del className={style.lost}>
          <span className="unseen"> ({words.cutHere}) </span>
          {lost}
        </del>
      )}
    </>
  )
}

const AppIcon = ({ name, badge }: { name: string; badge: string }) => {
  const words = useWords(previewWords)
  return (
    <span className={style.icon}>
      <span aria-hidden="true">{Array.from(name)[0]?.toUpperCase()}</span>
      {/^\+?\d{1,9}$/.test(badge) && badge !== '0' && (
        <span className={style.badge}>
          <span className="unseen">{words.badgeShown('')} </span>
          {badge}
        </span>
      )}
    </span>
  )
}

/** Loaded from where the phones will load it; only http and https come this far. The field says when it is lost. */
const Picture = ({ address, isLarge }: { address: string; isLarge: boolean }) => {
  const words = useWords(previewWords)
  const [isLost, setLost] = useState(false)
  if (isLost) return null
  return (
    <img
      className={style.picture}
      data-large={isLarge}
      src={address}
      alt={words.pictureOf}
      referrerPolicy="no-referrer"
      onError={() => setLost(true)}
    />
  )
}
