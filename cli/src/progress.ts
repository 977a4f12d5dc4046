import type { WriteStream } from 'node:tty'

const DRAW_MS = 100
const PLAIN_MS = 5_000
const BAR = 24

/** How far a long command is: one line drawn over and over on a terminal, a plain line now and then elsewhere. */
export class Progress {
  readonly #out: WriteStream
  readonly #unit: string
  readonly #total: number | undefined
  readonly #startedAt = performance.now()
  #drawnAt = this.#startedAt
  #drawn = false

  /** `total`: what `done` counts up to, if that is known. */
  constructor(out: WriteStream, { unit, total }: { unit: string; total: number | undefined }) {
    this.#out = out
    this.#unit = unit
    this.#total = total
  }

  get seconds(): number {
    return (performance.now() - this.#startedAt) / 1000
  }

  /** `count` is what people read, `done` is how far that is towards the total. */
  update(count: number, done: number): void {
    const now = performance.now()
    if (now - this.#drawnAt < (this.#out.isTTY ? DRAW_MS : PLAIN_MS)) return
    this.#drawnAt = now
    const text = this.#text(count, done)
    if (!this.#out.isTTY) this.#out.write(`${text}\n`)
    else {
      this.#out.write(`\r${text.slice(0, this.#out.columns - 1)}\x1b[K`)
      this.#drawn = true
    }
  }

  /** Says something that stays, above the line that is drawn. */
  say(text: string): void {
    this.clear()
    this.#out.write(`${text}\n`)
  }

  clear(): void {
    if (this.#drawn) this.#out.write('\r\x1b[K')
    this.#drawn = false
  }

  #text(count: number, done: number): string {
    const { seconds } = this
    const rate = `${spelt(count)} ${this.#unit}, ${spelt(Math.round(count / seconds))}/s`
    if (!this.#total || done === 0) return rate
    const part = Math.min(1, done / this.#total)
    const filled = Math.round(part * BAR)
    const bar = `[${'#'.repeat(filled)}${'.'.repeat(BAR - filled)}]`
    return `${bar} ${Math.floor(part * 100)} %  ${rate}, ${lasting((seconds * (1 - part)) / part)} left`
  }
}

/** 1,234,567 */
export const spelt = (count: number): string => count.toLocaleString('en')

/** 42 s, 3:07 min, 2:15 h */
const lasting = (seconds: number): string => {
  const whole = Math.ceil(seconds)
  const two = (value: number): string => String(value).padStart(2, '0')
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)}:${two(whole % 60)} min`
  return `${Math.floor(whole / 3600)}:${two(Math.floor((whole % 3600) / 60))} h`
}
