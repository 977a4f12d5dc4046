import { createHash } from 'node:crypto'

const style = `
body { font: 14px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem }
:root { color-scheme: light dark }
table { border-collapse: collapse; width: 100% }
td, th { text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0; border-top: 1px solid #8884 }
pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; font-size: 12px }
.refused, .ambiguous { color: #c30 }
`

// Everything received is put in as text, never as markup.
const script = `
const rows = document.querySelector('tbody')
const cell = (row, text, tag = 'td') => {
  const made = row.appendChild(document.createElement('td'))
  const inner = tag === 'td' ? made : made.appendChild(document.createElement(tag))
  inner.textContent = text
  return made
}
const time = (at) => new Date(at).toLocaleTimeString()
const show = ({ received, receipt }) => {
  const row = rows.insertRow(0)
  if (received) {
    cell(row, time(received.at))
    cell(row, received.vendor)
    cell(row, received.tokens.join(' '), 'pre')
    cell(row, JSON.stringify(received.fields, null, 2), 'pre')
    const answer = received.answer ? received.answer.status + ' ' + received.answer.body : 'none'
    cell(row, received.fate + ': ' + answer, 'pre').className = received.fate
  } else {
    cell(row, time(receipt.at))
    cell(row, receipt.vendor)
    cell(row, 'receipt')
    cell(row, receipt.url + '\\n' + receipt.body, 'pre')
    cell(row, String(receipt.result))
  }
  while (rows.rows.length > 500) rows.deleteRow(-1)
}
const live = new EventSource('/live')
live.onmessage = (event) => show(JSON.parse(event.data))
fetch('/received').then((answer) => answer.json()).then((list) => list.forEach((received) => show({ received })))
const forget = () => fetch('/received', { method: 'DELETE' }).then(() => rows.replaceChildren())
document.querySelector('button').onclick = forget
`

const hash = (code: string): string => `'sha256-${createHash('sha256').update(code).digest('base64')}'`

export const page = {
  /** Nothing runs or loads but what stands below. */
  policy: `default-src 'none'; connect-src 'self'; style-src ${hash(style)}; script-src ${hash(script)}`,
  html: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Carillon simulators</title>
<style>${style}</style>
<h1>What the simulators received</h1>
<p>Newest first. <button type="button">Forget all</button> Orders go to <code>POST /order</code>, as
<code>{"vendor":"fcm","fault":"limited","retryAfterSeconds":5,"times":3}</code>.</p>
<table>
<thead><tr><th>Time<th>Vendor<th>Vendor tokens<th>Push<th>Answer</thead>
<tbody></tbody>
</table>
<script>${script}</script>
</html>
`,
}
