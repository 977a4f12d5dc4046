/** Where a peer finds the simulator of APNs, and the account it has there. */
export interface ApnsAccess {
  origin: string
  /** Its certificate in PEM. */
  ca: string
  signingKey: string
  keyId: string
  teamId: string
  topic: string
}

/** The same as a provider of @parse/node-apn takes it, which Parse Server hands on to one as well. */
export const providerOptions = ({ origin, ca, signingKey, keyId, teamId }: ApnsAccess) => ({
  token: { key: signingKey, keyId, teamId },
  production: true,
  address: new URL(origin).hostname,
  port: Number(new URL(origin).port),
  ca: [ca],
})
