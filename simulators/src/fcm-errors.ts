import type { Answer } from './simulator.ts'

const json = { 'content-type': 'application/json; charset=UTF-8' }
const html = { 'content-type': 'text/html; charset=UTF-8' }

type Detail = Record<string, unknown>

export const errorAnswer = (code: number, status: string, message: string, details: Detail[] = []): Answer => ({
  status: code,
  headers: json,
  body: JSON.stringify({ error: { code, message, status, ...(details.length > 0 ? { details } : {}) } }),
})

const fcmError = (errorCode: string): Detail => ({
  '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError',
  errorCode,
})
const apnsError = (statusCode: number, reason: string): Detail => ({
  '@type': 'type.googleapis.com/google.firebase.fcm.v1.ApnsError',
  statusCode,
  reason,
})
const errorInfo = (reason: string): Detail => ({
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason,
  domain: 'googleapis.com',
  metadata: { method: 'google.firebase.fcm.v1.FcmService.SendMessage', service: 'fcm.googleapis.com' },
})
const quotaFailure = (subject: string, description: string): Detail => ({
  '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
  violations: [{ subject, description }],
})

/** One field that is not as it must be. `fcm`: found by FCM itself, not already by Google's reader of JSON. */
export const badField = (field: string, description: string, fcm = false): Answer =>
  errorAnswer(400, 'INVALID_ARGUMENT', description, [
    ...(fcm ? [fcmError('INVALID_ARGUMENT')] : []),
    { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [{ field, description }] },
  ])

export const invalid = (message: string): Answer =>
  errorAnswer(400, 'INVALID_ARGUMENT', message, [fcmError('INVALID_ARGUMENT')])
export const tooLarge = (): Answer => invalid('Request contains an invalid argument.')
export const badToken = (): Answer => invalid('The registration token is not a valid FCM registration token')

const CREDENTIALS_HELP =
  'Expected OAuth 2 access token, login cookie or other valid authentication credential. ' +
  'See https://developers.google.com/identity/sign-in/web/devconsole-project.'

export const unauthenticated = {
  missing: (): Answer =>
    errorAnswer(401, 'UNAUTHENTICATED', `Request is missing required authentication credential. ${CREDENTIALS_HELP}`, [
      errorInfo('CREDENTIALS_MISSING'),
    ]),
  expired: (): Answer =>
    errorAnswer(401, 'UNAUTHENTICATED', `Request had invalid authentication credentials. ${CREDENTIALS_HELP}`, [
      errorInfo('ACCESS_TOKEN_EXPIRED'),
    ]),
  unknown: (): Answer =>
    errorAnswer(401, 'UNAUTHENTICATED', `Request had invalid authentication credentials. ${CREDENTIALS_HELP}`),
}

export const forbidden = {
  project: (project: string): Answer =>
    errorAnswer(
      403,
      'PERMISSION_DENIED',
      "Permission 'cloudmessaging.messages.create' denied on resource " +
        `'//cloudresourcemanager.googleapis.com/projects/${project}' (or it may not exist).`,
      [errorInfo('IAM_PERMISSION_DENIED')],
    ),
  scope: (): Answer =>
    errorAnswer(403, 'PERMISSION_DENIED', 'Request had insufficient authentication scopes.', [
      errorInfo('ACCESS_TOKEN_SCOPE_INSUFFICIENT'),
    ]),
}

const exhausted = (subject: string, message: string): Answer =>
  errorAnswer(429, 'RESOURCE_EXHAUSTED', message, [fcmError('QUOTA_EXCEEDED'), quotaFailure(subject, message)])
export const overQuota = (project: string): Answer =>
  exhausted(`project:${project}`, "Quota exceeded for quota metric 'Messages' and limit 'Messages per minute'.")

/** How a push to one token can end, by the word that orders it: Google's code, and its cause where a code has two. */
export const endings: Record<string, () => Answer> = {
  UNREGISTERED: () => errorAnswer(404, 'NOT_FOUND', 'Requested entity was not found.', [fcmError('UNREGISTERED')]),
  SENDER_ID_MISMATCH: () =>
    errorAnswer(403, 'PERMISSION_DENIED', 'SenderId mismatch', [fcmError('SENDER_ID_MISMATCH')]),
  INVALID_TOKEN: badToken,
  INVALID_TOKEN_FIELD: () => badField('message.token', 'Invalid registration token', true),
  INVALID_ARGUMENT: tooLarge,
  APNS_UNREGISTERED: () =>
    errorAnswer(400, 'INVALID_ARGUMENT', 'APNs device token is disabled.', [
      fcmError('INVALID_ARGUMENT'),
      apnsError(410, 'Unregistered'),
    ]),
  APNS_BAD_DEVICE_TOKEN: () =>
    errorAnswer(400, 'INVALID_ARGUMENT', 'APNs device token is invalid.', [
      apnsError(400, 'BadDeviceToken'),
      fcmError('INVALID_ARGUMENT'),
    ]),
  THIRD_PARTY_AUTH_ERROR: () =>
    errorAnswer(401, 'UNAUTHENTICATED', 'Auth error from APNS or Web Push Service', [
      fcmError('THIRD_PARTY_AUTH_ERROR'),
      apnsError(403, 'InvalidProviderToken'),
    ]),
  PERMISSION_DENIED: () => forbidden.project('unknown'),
  NOT_FOUND: () => errorAnswer(404, 'NOT_FOUND', 'Requested entity was not found.'),
  QUOTA_EXCEEDED: () => overQuota('unknown'),
  DEVICE_QUOTA_EXCEEDED: () => exhausted('device', 'Message rate exceeded for this device.'),
  INTERNAL: () => down(500),
  UNAVAILABLE: () => down(503),
  BAD_GATEWAY: () => down(502),
  UNSPECIFIED_ERROR: () => errorAnswer(500, 'UNKNOWN', 'Unknown error.', [fcmError('UNSPECIFIED_ERROR')]),
}

const errorPage = (status: number, words: string): Answer => ({
  status,
  headers: html,
  body: `<!DOCTYPE html>\n<html lang=en><title>Error ${status}</title>\n<p><b>${status}.</b> ${words}</html>\n`,
})

const unavailable = (): Answer =>
  errorAnswer(503, 'UNAVAILABLE', 'The service is currently unavailable.', [fcmError('UNAVAILABLE')])

/** Google's front end answers for a service that does not, in HTML. */
export const down = (status: number): Answer => {
  if (status === 500) return errorAnswer(500, 'INTERNAL', 'Internal error encountered.', [fcmError('INTERNAL')])
  if (status === 503) return unavailable()
  return errorPage(status, 'The server encountered a temporary error. Please try again in 30 seconds.')
}

export const noSuchPage = (path: string): Answer =>
  errorPage(404, `The requested URL <code>${path.replace(/[^\w/:.-]/g, '')}</code> was not found on this server.`)
