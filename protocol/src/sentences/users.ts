/** Why a user was not registered. A row of the interface has no room for a name, and needs none: this is the only one. */
export const isTaken = (field: string): string => `${field} is taken`
