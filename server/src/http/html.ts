/** Markup that is safe to put into a page as it is. */
class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type { Markup }

type Part = Markup | string | number | false | undefined | readonly Part[]

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const write = (part: Part): string => {
  if (part instanceof Markup) return part.text
  if (part === undefined || part === false) return ''
  if (typeof part === 'string' || typeof part === 'number') return String(part).replaceAll(/[&<>"']/g, (sign) => escapes[sign]!)
  return part.map(write).join('')
}

/** What stands in the template is markup; what is put into it is text, unless it is markup already. */
export const html = (strings: TemplateStringsArray, ...parts: Part[]): Markup =>
  new Markup(strings.map((string, i) => string + (i < parts.length ? write(parts[i]) : '')).join(''))

/** Text of ours that is markup already, or style. */
export const markup = (text: string): Markup => new Markup(text)

/** Our own words, which mark `code` and **stress** as CommonMark does. */
export const prose = (text: string): Markup =>
  new Markup(
    write(text)
      .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
      .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>'),
  )

/** Paragraphs and lists of them. */
export const paragraphs = (text: string): Markup[] =>
  text.split('\n\n').map((block) => {
    if (!block.startsWith('- ')) return html`<p>${prose(block)}</p>`
    return html`<ul>${block.slice(2).split('\n- ').map((item) => html`<li>${prose(item)}</li>`)}</ul>`
  })
