import { createHash } from 'node:crypto'
import { errors } from '@carillon/protocol/errors.ts'
import { callSection, type Entry, idOfCall } from './docs-call.ts'
import { fieldsOf, fieldTable, idOfObject } from './docs-fields.ts'
import { style } from './docs-style.ts'
import { html, markup, paragraphs } from './html.ts'
import type { OpenApi } from './openapi-document.ts'

/** Nothing from elsewhere, nothing that runs: the page needs its own style and no more. */
export const docsPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The reference as a page: made by the server from the same document that tools read. */
export const docsPage = (api: OpenApi): string => {
  const chapters = chaptersOf(api)
  const { schemas } = api.components
  const objects = Object.entries(schemas).filter(([, { properties }]) => properties)
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Carillon API</title>
<style>${markup(style)}</style>
</head>
<body>
<a class="skip" href="#reference">To the reference</a>
<nav aria-label="Calls">
<ul>
<li><a href="#rules">Rules of every call</a></li>
${chapters.map(
  ({ name, entries }) => html`<li><a href="#${idOfChapter(name)}">${title(name)}</a>
<ul>${entries.map((entry) => html`<li><a href="#${idOfCall(entry)}"><span class="method ${entry.method}">${entry.method}</span> ${entry.path}</a></li>`)}</ul></li>`,
)}
<li><a href="#objects">Objects</a></li>
<li><a href="#codes">Codes</a></li>
</ul>
</nav>
<main id="reference">
<header>
<h1>Carillon API</h1>
<p>Version ${api.info.version}. For tools: <a href="openapi.json">openapi.json</a> (OpenAPI ${api.openapi}).</p>
</header>
<section id="rules">
<h2>Rules of every call</h2>
${paragraphs(api.info.description)}
<p>The examples take the server's address and an access token from the shell:</p>
<pre tabindex="0"><code>CARILLON=http://127.0.0.1:7700
TOKEN=…   # an admin token, or the token of a login</code></pre>
</section>
${chapters.map(
  ({ name, description, entries }) => html`<section id="${idOfChapter(name)}">
<h2>${title(name)}</h2>
<p>${description}</p>
${entries.map((entry) => callSection(entry, api))}
</section>`,
)}
<section id="objects">
<h2>Objects</h2>
${objects.map(
  ([name, schema]) => html`<article id="${idOfObject(name)}" class="object"><h3><a href="#${idOfObject(name)}">${name}</a></h3>${fieldTable(fieldsOf(schema, schemas))}</article>`,
)}
</section>
<section id="codes">
<h2>Codes</h2>
<p>Decide by the code; show or log the message, whose wording may change.</p>
<table class="fields"><thead><tr><th scope="col">code</th><th scope="col">HTTP status</th><th scope="col">when</th></tr></thead><tbody>
<tr><th scope="row"><code>200</code></th><td>200</td><td>success</td></tr>
${Object.values(errors).map(
  ({ code, http, says }) => html`<tr id="code-${code}"><th scope="row"><code>${code}</code></th><td>${http}</td><td>${says}</td></tr>
`,
)}</tbody></table>
</section>
</main>
</body>
</html>
`.text
}

interface Chapter {
  name: string
  description: string
  entries: Entry[]
}

const chaptersOf = (api: OpenApi): Chapter[] => {
  const entries = Object.entries(api.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, operation]) => operation['x-same-as'] === undefined)
      .map(([method, operation]): Entry => {
        const also = Object.entries(operations).filter(([, other]) => other['x-same-as'] === method)
        return { path, method: method.toUpperCase(), operation, also: also.map(([name]) => name.toUpperCase()) }
      }),
  )
  return api.tags.map(({ name, description }) => ({
    name,
    description,
    entries: entries.filter(({ operation }) => operation.tags.includes(name)),
  }))
}

const idOfChapter = (name: string): string => name.replaceAll(' ', '-')

const title = (name: string): string => name[0]!.toUpperCase() + name.slice(1)
