import { oneLine, styled, table, type Scene } from './picture.ts'

const EVENTS_KEPT = 50
const PLAIN_MS = 5_000
const MARGIN = '  '

export type EventKind = 'task' | 'mishap' | 'server'
const styles = { task: 'dim', mishap: 'yellow', server: 'magenta' } as const

/** Where the demo is shown: a page drawn over and over on a terminal, plain lines elsewhere. */
export class Screen {
  readonly #out = process.stdout
  readonly #events: string[] = []
  #openedAt = 0
  /** What stands above the table. */
  #head: readonly string[] = []
  #open = false
  #toldAt = performance.now()

  /** Says something that stays. */
  say(text: string): void {
    this.#out.write(`${text}\n`)
  }

  /** From now on the page is drawn. */
  open(head: readonly string[]): void {
    this.#head = head
    this.#openedAt = performance.now()
    if (!this.#out.isTTY) return this.say(head.join('\n'))
    this.#open = true
    // A screen of its own, without a cursor, and lines that are too long are cut: all is as before when it ends.
    this.#out.write('\x1b[?1049h\x1b[?25l\x1b[?7l')
  }

  happened(kind: EventKind, text: string): void {
    const line = `${new Date().toTimeString().slice(0, 8)}  ${styled(styles[kind], kind.padEnd(7))} ${text}`
    this.#events.push(line)
    if (this.#events.length > EVENTS_KEPT) this.#events.shift()
    if (!this.#out.isTTY) this.say(line)
  }

  show(scene: Scene): void {
    if (this.#open) return this.#draw(scene)
    const now = performance.now()
    if (this.#out.isTTY || now - this.#toldAt < PLAIN_MS) return
    this.#toldAt = now
    this.say(oneLine(scene))
  }

  /** Back to how the terminal was; what was counted stays on it. */
  close(scene?: Scene): void {
    if (this.#open) this.#out.write('\x1b[?7h\x1b[?25h\x1b[?1049l')
    this.#open = false
    if (scene) this.say(table(scene, false).join('\n'))
  }

  #draw(scene: Scene): void {
    const seconds = Math.floor((performance.now() - this.#openedAt) / 1000)
    const running = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
    const course = `nine channels, one call · ${scene.totals.tasks} tasks in ${running} min · Ctrl-C ends it`
    const above = [
      '',
      `${styled('bold', 'Carillon')}  ${styled('dim', course)}`,
      '', ...this.#head, '', ...table(scene, true), '',
    ]
    const room = Math.max(0, this.#out.rows - above.length - 1)
    const lines = [...above, ...(room > 0 ? this.#events.slice(-room) : [])].slice(0, this.#out.rows - 1)
    this.#out.write(`\x1b[H${lines.map((line) => `${MARGIN}${line}\x1b[K`).join('\n')}\n\x1b[J`)
  }
}
