import type { DeviceRef } from '@carillon/protocol/bodies.ts'
import { badField, Refused } from '@carillon/protocol/errors.ts'
import { refusalSentences } from '@carillon/protocol/sentences/refusals.ts'
import { hashToken } from '../access/token.ts'
import type { DeviceOfUser } from '../store/devices.ts'
import type { Scope } from '../store/scope.ts'

/** The device a call is about: the one whose push token it names, or else the one its access token was issued for. */
export const thisDevice = ({ app, id: userId, token }: Scope, body: DeviceRef, query: DeviceRef = {}): DeviceOfUser => {
  const pushToken = body.push_token ?? query.push_token
  if (query.push_token !== undefined && query.push_token !== pushToken) {
    throw badField('push_token', 'is sent twice with different values')
  }
  const deviceId = token.userId === userId ? token.deviceId : null
  if (pushToken === undefined && deviceId === null) {
    throw badField('push_token', 'is required: this access token was not issued for a device')
  }
  return { app: app.id, userId, deviceId, pushTokenHash: pushToken === undefined ? null : hashToken(pushToken) }
}

/** Another user's device is refused exactly like one that does not exist. */
export const known = (found: boolean): void => {
  if (!found) throw new Refused('notFound', refusalSentences.no_device())
}
