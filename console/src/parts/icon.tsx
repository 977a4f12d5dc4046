/** Drawn on a 24 grid with one stroke width, so that they sit together. */
const drawings = {
  alert: 'M12 4 2.8 19.5h18.4L12 4Zm0 6v4.5m0 2.6v.1',
  back: 'M14.5 5.5 8 12l6.5 6.5',
  bell: 'M12 4c-3.3 0-5.2 2.3-5.4 5.4l-.3 3.8c-.1 1-.5 1.8-1.3 2.6h14c-.8-.8-1.2-1.6-1.3-2.6l-.3-3.8C17.2 6.3 15.3 4 12 4Zm-2 14.5a2 2 0 0 0 4 0',
  browser:
    'M4.5 5h15A1.5 1.5 0 0 1 21 6.5v11a1.5 1.5 0 0 1-1.5 1.5h-15A1.5 1.5 0 0 1 3 17.5v-11A1.5 1.5 0 0 1 4.5 5ZM3 9.2h18M6.2 7.1h.1m2.6 0h.1',
  certificates: 'M12 3.5 5 6v5.5c0 4.3 2.8 7.4 7 9 4.2-1.6 7-4.7 7-9V6l-7-2.5Zm-3 8.3 2.2 2.2 4-4.3',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  clock: 'M12 3.5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17Zm0 4V12l3 2',
  close: 'm6 6 12 12M18 6 6 18',
  compose: 'M20.5 3.5 3.5 10l7 3.5 3.5 7 6.5-17Zm-10 10 4-4',
  copy: 'M9.5 8.5h9v12h-9v-12Zm-3 7h-1v-12h9v2',
  devices:
    'M8 3.5h8A1.5 1.5 0 0 1 17.5 5v14a1.5 1.5 0 0 1-1.5 1.5H8A1.5 1.5 0 0 1 6.5 19V5A1.5 1.5 0 0 1 8 3.5Zm2.8 14h2.4',
  down: 'm6 9.5 6 6 6-6',
  filter: 'M4 6.5h16M7 12h10m-7 5.5h4',
  globe:
    'M12 3.5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17ZM3.5 12h17M12 3.5c2.3 2.4 3.4 5.2 3.4 8.5s-1.1 6.1-3.4 8.5c-2.3-2.4-3.4-5.2-3.4-8.5s1.1-6.1 3.4-8.5Z',
  link: 'M10 14a4 4 0 0 0 5.7 0l3-3a4 4 0 0 0-5.7-5.7l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3a4 4 0 0 0 5.7 5.7l1-1',
  more: 'M5.5 11.4a.6.6 0 1 1 0 1.2.6.6 0 0 1 0-1.2Zm6.5 0a.6.6 0 1 1 0 1.2.6.6 0 0 1 0-1.2Zm6.5 0a.6.6 0 1 1 0 1.2.6.6 0 0 1 0-1.2Z',
  next: 'M9.5 5.5 16 12l-6.5 6.5',
  overview: 'M4 20V11m5.3 9V4m5.3 16v-6.5M20 20V8',
  plus: 'M12 5v14M5 12h14',
  refresh: 'M19.5 12a7.5 7.5 0 1 1-2.2-5.3L19.5 9m0-4.5V9H15',
  search: 'M10.5 4.5a6 6 0 1 1 0 12 6 6 0 0 1 0-12ZM15 15l5 5',
  settings:
    'M4 7.5h9m5 0h2M4 16.5h2m5 0h9M15.5 5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5Zm-7 9a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5Z',
  signOut: 'M14 4.5H6.5A1.5 1.5 0 0 0 5 6v12a1.5 1.5 0 0 0 1.5 1.5H14M10 12h10.5m-4-4 4 4-4 4',
  tasks: 'M9.5 6.5h11m-11 5.5h11m-11 5.5h11M4 6.3l1 1 1.8-2M4 11.8l1 1 1.8-2M4 17.3l1 1 1.8-2',
  theme: 'M12 3.5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17Zm0 0v17m3-15.9v14.8m3-12v9.2',
  trash: 'M4.5 6.5h15m-9.5 0v-2h4v2m3.5 0-.8 13H7.3l-.8-13m3.5 4v5m4-5v5',
  users:
    'M9 4.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7ZM2.5 19.5c.3-3.3 2.9-5 6.5-5s6.2 1.7 6.5 5m0-14.7a3.5 3.5 0 0 1 0 6.4m2.3 3.7c2.2.7 3.5 2.2 3.7 4.6',
} as const

export type IconName = keyof typeof drawings

/** A small picture that says nothing by itself: what it means stands beside it, or in the label of its button. */
export const Icon = ({ name, size = 18 }: { name: IconName; size?: number }) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth={1.7}
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
    focusable="false"
  >
    <path d={drawings[name]} />
  </svg>
)
