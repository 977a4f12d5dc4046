/** Narrow: one column, the chapters on top. Wide: the list beside, and what is told beside what is shown. */
export const style = `
:root {
  color-scheme: light dark;
  --ground: #fff; --raised: #f5f6f8; --line: #dde1e7; --text: #1c2430; --quiet: #5a6675; --link: #0b57c2;
  --get: #0a6b3d; --post: #0b57c2; --put: #8a5300; --delete: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #12161c; --raised: #1a2029; --line: #2d3643; --text: #e3e8ef; --quiet: #9aa7b8; --link: #7fb2ff;
    --get: #62d39a; --post: #7fb2ff; --put: #f0b35b; --delete: #ff8a80;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; background: var(--ground); color: var(--text); font: 16px/1.55 system-ui, sans-serif; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
code, pre { font-family: ui-monospace, 'SF Mono', Menlo, Consolas, monospace; font-size: 0.875em; }
pre { margin: 0; padding: 0.75rem 1rem; overflow: auto; max-height: 26rem; background: var(--raised); border: 1px solid var(--line); border-radius: 6px; line-height: 1.45; }
pre code { font-size: 0.8125rem; }
p { margin: 0.5rem 0; max-width: 46rem; }
main > section > ul, main > section > pre { max-width: 46rem; }
main > section > ul { padding-left: 1.25rem; }
h1, h2, h3, h4 { line-height: 1.25; }
h1 { margin: 0 0 0.25rem; font-size: 1.75rem; }
h2 { margin: 3rem 0 0.5rem; padding-bottom: 0.4rem; border-bottom: 1px solid var(--line); font-size: 1.375rem; }
h3 { margin: 0 0 0.5rem; font-size: 1.0625rem; overflow-wrap: anywhere; }
h3 a { color: inherit; }
h3 code { font-size: 1em; }
h4 { margin: 1rem 0 0.4rem; font-size: 0.8125rem; color: var(--quiet); font-weight: 600; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: 1rem; padding: 0.5rem; background: var(--ground); }
nav { padding: 0.75rem 1rem; border-bottom: 1px solid var(--line); background: var(--raised); font-size: 0.875rem; }
.format { color: var(--quiet); font-weight: 400; font-size: 0.8125rem; }
nav ul { margin: 0; padding: 0; list-style: none; }
nav > ul { display: flex; flex-wrap: wrap; gap: 0.35rem 1rem; }
nav > ul > li > a { font-weight: 600; color: var(--text); }
nav li ul { display: none; }
nav li li a { display: flex; gap: 0.5rem; padding: 0.1rem 0; color: var(--text); overflow-wrap: anywhere; }
nav li li .method { flex: 0 0 3.25rem; }
.method { font: 600 0.6875rem/1.9 ui-monospace, Menlo, Consolas, monospace; }
.GET { color: var(--get); } .POST { color: var(--post); } .PUT { color: var(--put); } .DELETE { color: var(--delete); }
h3 .method { padding: 0.15rem 0.45rem; border: 1px solid; border-radius: 4px; font-size: 0.75rem; }
main { padding: 1.25rem 1rem 4rem; }
.call, .object { padding: 1.5rem 0; border-bottom: 1px solid var(--line); }
.call:last-child, .object:last-child { border-bottom: 0; }
.call:target h3, .object:target h3, tr:target { background: var(--raised); }
.who { color: var(--quiet); font-size: 0.875rem; }
.fields { width: 100%; table-layout: fixed; border-collapse: collapse; font-size: 0.875rem; overflow-wrap: anywhere; }
.fields th, .fields td { padding: 0.45rem 0.5rem 0.45rem 0; text-align: left; vertical-align: top; border-top: 1px solid var(--line); font-weight: 400; }
.fields tr:first-child > * { border-top: 0; }
.fields thead th { color: var(--quiet); }
.fields tbody th { width: 40%; }
.fields p { margin: 0.1rem 0 0; }
.required { color: var(--delete); font-size: 0.75rem; white-space: nowrap; }
.type { color: var(--quiet); }
.limits { margin: 0.1rem 0 0; padding: 0; list-style: none; color: var(--quiet); font-size: 0.8125rem; overflow-wrap: anywhere; }
details { margin: 0.75rem 0 0; }
.call summary { cursor: pointer; color: var(--link); font-size: 0.875rem; }
.codes { margin: 0.4rem 0 0; padding: 0; list-style: none; font-size: 0.875rem; columns: 20rem; }
.shown { min-width: 0; }
@media (min-width: 64rem) {
  body { display: grid; grid-template-columns: 20rem minmax(0, 1fr); }
  nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.25rem 1rem; border: 0; border-right: 1px solid var(--line); }
  nav > ul { display: block; }
  nav > ul > li { margin-bottom: 0.75rem; }
  nav li ul { display: block; margin-top: 0.25rem; }
  main { max-width: 82rem; padding: 2rem 2.5rem 6rem; }
  .call { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 30rem); column-gap: 2.5rem; }
  .call h3 { grid-column: 1 / -1; }
  .fields tbody th { width: 38%; }
  .shown { position: sticky; top: 1rem; align-self: start; }
  .shown h4:first-child { margin-top: 0; }
}
`
