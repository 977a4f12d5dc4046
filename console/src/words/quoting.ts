/** A Chinese sentence with what somebody else said behind it, as it came. */
export const quoting = (sentence: string, said: string): string => (said === '' ? sentence : `${sentence}（${said}）`)
