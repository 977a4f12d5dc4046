import { given, searchText } from '../devices/filter.ts'

export const userSections = ['users', 'groups'] as const
export type UserSection = (typeof userSections)[number]

/** What the page shows; it stands in the address. */
export interface UserFilter {
  search?: string
  section?: UserSection
}

/** As long as an email may be. */
export const USER_SEARCH_MAX = 254

/** Reads it off the address: anybody may have typed that. */
export const userFilter = ({ search, section }: Record<string, unknown>): UserFilter =>
  given({ search: searchText(search, USER_SEARCH_MAX), section: userSections.find((each) => each === section) })
