export const sections = ['app', 'tokens', 'webhook', 'audit'] as const
export type Section = (typeof sections)[number]

/** The section an address asks for. */
export const sectionOf = (search: Record<string, unknown>): { section?: Section } => {
  const section = sections.find((each) => each === search.section)
  return section ? { section } : {}
}
