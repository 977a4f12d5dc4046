/** What OPPO answers and reports, and what its registration ids look like. */

/** Every code, in the vendor's words. */
export const refusals: Record<string, string> = {
  '-2': 'Service in Flow Control',
  '-1': 'Service Currently Unavailable',
  11: 'Invalid AuthToken',
  12: 'HTTP Action Not Allowed',
  13: 'App Call Limited',
  14: 'Invalid App Key',
  15: 'Missing App Key',
  16: 'Invalid Signature',
  17: 'Missing Signature',
  18: 'Missing Timestamp',
  19: 'Invalid Timestamp',
  20: 'Invalid Method Name',
  21: 'Missing Method Name',
  22: 'Missing Version',
  23: 'Invalid Version',
  24: 'Unsupported Version',
  25: 'Invalid Encoding',
  26: 'IP Black List',
  27: 'Access Denied',
  28: 'App Disabled',
  29: 'Missing Auth Token',
  30: 'Api Permission Denied',
  31: 'Data Not Exist',
  32: 'Data Duplicate',
  33: 'The number of messages exceeds the daily limit',
  34: 'The number of uploaded pictures exceeds the daily limit',
  40: 'Missing Required Arguments',
  41: 'Invalid Arguments',
  42: 'The number of saved messages exceeds the daily limit',
  51: 'Invalid Picture',
  54: 'private_msg_template_id is null',
  55: 'App Call Frequency Limited',
  59: 'No Permission For A Fallback Link',
  67: 'category or notify_level is not allowed',
  69: 'Global Limit',
  10000: 'Invalid RegistrationId',
  10001: 'Business Error',
}
/** Those a batch reports of one entry; all others turn the whole request down. */
export const ofOneTarget = new Set(['32', '40', '41', '51', '54', '59', '67', '10000', '10001'])

/** What a receipt can report in place of push_arrive, and how tokens begin that meet it. */
export const receiptEvents: Record<string, string> = { regid_invalid: 'gone_', user_daily_limit: 'daycap_' }

/** The vendor's own check; it lets a bare id of 24 digits pass too. */
export const registrationId = /^(((([0-9A-Za-z]{2,10})_)?([A-Z]{2}|EUEX)_)?[0-9a-fA-F]{32}|[0-9a-fA-F]{24})$/

/** Devices of mainland China and all others belong to different servers. */
export const isChinese = (token: string): boolean => {
  const parts = token.split('_')
  return parts.length === 1 || (parts.length === 2 && parts[0] === 'CN') || (parts.length === 3 && parts[1] === 'CN')
}
