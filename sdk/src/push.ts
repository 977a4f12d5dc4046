import type { ChannelName } from '@carillon/protocol/names.ts'
import type { Message } from '@carillon/protocol/notify.ts'
import { type Clock, systemClock } from './clock.ts'

/** What arrives; blank fields are left out. */
export interface Push
  extends Pick<
    Message,
    'title' | 'body' | 'big_text' | 'attachment_url' | 'ext' | 'show_begin_time' | 'show_end_time' | 'android' | 'ios'
  > {
  task_id: number
  channel: ChannelName
  type: NonNullable<Message['type']>
  /** What the badge is now, already counted. */
  badge?: number
  /** A newer push with the same one replaces an older one that has not been shown. */
  collapse_id?: string
  /** Unix milliseconds. */
  sent_at: number
}

/**
 * When to show a push, in Unix milliseconds: now, or when its time begins. undefined: not at all, its time is over or
 * it is a `cmd`, which is for the program and not for the person.
 */
export const presentAt = (
  { type, show_begin_time, show_end_time }: Pick<Push, 'type' | 'show_begin_time' | 'show_end_time'>,
  now: number,
): number | undefined => {
  const at = Math.max(now, (show_begin_time ?? 0) * 1000)
  const isOver = show_end_time !== undefined && at >= show_end_time * 1000
  return type === 'cmd' || isOver ? undefined : at
}

/**
 * Calls `show` when the time has come, at once if it has; never if it is over. The answer takes it back. It lives in
 * memory: a program that ends before has to look at what it stored when it starts again.
 */
export const presentInTime = (push: Push, show: (push: Push) => void, clock: Clock = systemClock): (() => void) => {
  const at = presentAt(push, clock.now())
  if (at === undefined) return () => {}
  const look = (): void => {
    // Asked again: a machine that slept may come too late.
    if (presentAt(push, clock.now()) !== undefined) show(push)
  }
  const waitMs = at - clock.now()
  if (waitMs > 0) return clock.after(waitMs, look)
  look()
  return () => {}
}
