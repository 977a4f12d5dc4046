/** 0 development, 1 production. */
export type Environment = 0 | 1
export const PRODUCTION: Environment = 1
