import type { RegisterBatch } from '@carillon/protocol/bodies.ts'

/** A form's texts; blank means that it is not given. */
export interface NewUser {
  username: string
  password: string
  mobile: string
  email: string
}

export type NewUserField = keyof NewUser
const fields = ['username', 'password', 'mobile', 'email'] as const satisfies NewUserField[]

/** A password is taken as typed; everything else without the blanks around it. */
export const registrationOf = ({ username, password, mobile, email }: NewUser): RegisterBatch['list'][number] => ({
  username: username.trim(),
  ...(password !== '' && { password }),
  ...(mobile.trim() !== '' && { mobile: mobile.trim() }),
  ...(email.trim() !== '' && { email: email.trim() }),
})

/** The field a refusal begins with: `list[0].mobile must be …` as well as a row's `username is taken`. */
export const refusedField = (sentence: string): NewUserField | undefined => {
  const named = /^(?:list\[\d+\]\.)?([a-z_]+) /.exec(sentence)?.[1]
  return fields.find((field) => field === named)
}

/** The sentence without the place in a list that a person who fills in a form has never seen. */
export const inForm = (sentence: string): string => sentence.replace(/^list\[\d+\]\./, '')
