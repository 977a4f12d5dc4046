/** Every reason Apple gives for a push to a device, with its status. */
export const reasons = {
  BadCollapseId: 400,
  BadDeviceToken: 400,
  BadExpirationDate: 400,
  BadMessageId: 400,
  BadPriority: 400,
  BadTopic: 400,
  DeviceTokenNotForTopic: 400,
  DuplicateHeaders: 400,
  IdleTimeout: 400,
  InvalidPushType: 400,
  MissingDeviceToken: 400,
  MissingTopic: 400,
  PayloadEmpty: 400,
  TopicDisallowed: 400,
  BadCertificate: 403,
  BadCertificateEnvironment: 403,
  BadEnvironmentKeyIdInToken: 403,
  ExpiredProviderToken: 403,
  Forbidden: 403,
  InvalidProviderToken: 403,
  MissingProviderToken: 403,
  UnrelatedKeyIdInToken: 403,
  BadPath: 404,
  MethodNotAllowed: 405,
  ExpiredToken: 410,
  Unregistered: 410,
  PayloadTooLarge: 413,
  TooManyProviderTokenUpdates: 429,
  TooManyRequests: 429,
  InternalServerError: 500,
  ServiceUnavailable: 503,
  Shutdown: 503,
} as const
export type Reason = keyof typeof reasons

/**
 * Vendor tokens that begin so end so without an order. They are hexadecimal like every other, and long enough that a
 * random one among millions does not begin so by chance.
 */
const beginnings: Partial<Record<Reason, string>> = {
  Unregistered: 'deaddead',
  ExpiredToken: 'deadda7e',
  BadDeviceToken: 'bad00bad',
  DeviceTokenNotForTopic: 'bad70b1c',
  TooManyRequests: 'fa57fa57',
  InternalServerError: 'bad00500',
  ServiceUnavailable: 'bad00503',
}

export const outcomes: Record<string, string> = Object.fromEntries(
  Object.keys(reasons).map((reason) => [reason, beginnings[reason as Reason] ?? '']),
)
