/** Areas of the interface; each has the test file of its name. */
export const areas = [
  'token',
  'headers',
  'envelope',
  'certificate',
  'notify-audience',
  'notify-setting',
  'notify-message',
  'notify-platform',
  'statistics',
] as const
export type Area = (typeof areas)[number]

export interface Row {
  area: Area
  /** Its name in the interface; the test's name begins with it. */
  row: string
  /** What the interface asks. */
  asked: string
  /** The promise: the rest of the test's name. */
  promise: string
  /** What of it this release does not do yet. */
  later?: string
}

export const nameOf = ({ row, promise }: Row): string => `${row}: ${promise}`

type Line = readonly [row: string, asked: string, promise: string, later?: string]

export const channels = ['apns', 'fcm', 'flyme', 'honor', 'huawei', 'nativepush', 'oppo', 'vivo', 'xiaomi'] as const
export const providers = ['APNS', 'Huawei', 'Xiaomi', 'Meizu', 'VIVO', 'OPPO', 'FCM', 'Honor'] as const
export const sequenceItems = ['ups', 'fcm', 'huawei', 'xiaomi', 'oppo', 'vivo', 'meizu'] as const
export const vendorObjects = ['huawei', 'xiaomi', 'oppo', 'vivo', 'flyme', 'fcm', 'honor'] as const
export const audienceLists = ['tag', 'alias', 'user_id', 'push_token'] as const

/** Which field of each vendor's own object it has no place for. */
const lacking: Record<string, readonly string[]> = {
  oppo: ['sound'], vivo: ['channel_id'], flyme: ['channel_id'], honor: ['sound', 'channel_id'],
}

/** A login endpoint takes a password and a device beside its own field. */
const loginLines = (endpoint: string): Line[] => [
  [endpoint, 'response 200: envelope with the token record', 'answers 200 with the token record of that user'],
  [
    `${endpoint} password`,
    'string, required: password',
    'a wrong password is refused, and a login without one names the field',
  ],
  [
    `${endpoint} device_guid`,
    'string, not required: device ID; when set, the response contains a push token',
    'the same device gets the same push token again, another one another, none none',
  ],
]

const token: Line[] = [
  [
    'the service, tokens',
    'issues access tokens to users who log in with a user ID, a username or a login name, and a password',
    'all three logins give a working token for the same user',
  ],
  [
    'the service, push tokens',
    'a login may carry a device identifier; the response then carries a push token for that device',
    'the push token of a login addresses that device',
  ],
  ['token record access_key_secret', 'string: file key', 'is a secret of its own in every login'],
  [
    'token record encrypt_type',
    'int32: whether an encrypted connection is enabled',
    'is 0, since the doors for devices are plain',
    'With TLS on both doors it is 1; a test of its own sees that.',
  ],
  ['token record expire', 'int64: expiration timestamp; unit left open', 'is Unix milliseconds, in the future'],
  [
    'token record public_key',
    'string: public key',
    'is a string, empty while there is no encrypted door',
    'With encrypted doors it is the key to pin.',
  ],
  ['token record push_token', 'string, returned when device_guid was sent', 'is there with device_guid and only then'],
  ['token record store_token', 'string: file token', 'is a secret of its own in every login'],
  ['token record token', 'string: the value sent in the access-token header', 'is a secret of its own in every login'],
  ['token record user_id', 'int64: user ID', 'is the id the user was registered under'],
  ...loginLines('POST /token/id'),
  [
    'POST /token/id user_id',
    'int64, required: for login by user ID only',
    'takes an exact integer, and neither a name nor nothing',
  ],
  ...loginLines('POST /token/login'),
  ['POST /token/login login_name', 'string, required', 'takes text, and neither a number nor nothing'],
  ['POST /token/login login_name, mobile number', 'a mobile number', 'logs in the user with that mobile number'],
  ['POST /token/login login_name, email', 'an email', 'logs in the user with that email'],
  ['POST /token/login login_name, username', 'a username', 'logs in the user with that username'],
  ...loginLines('POST /token/user'),
  [
    'POST /token/user name',
    'string, required: for login by username only',
    'takes the username, and neither mobile number, email, a number nor nothing',
  ],
  [
    'authentication 2',
    'the token of a token endpoint is the value to send later as access-token',
    'each login gives the access-token of later calls',
  ],
  [
    'authentication 6',
    'what encrypt_type changes and how public_key is used: left open',
    'a device connects without encryption where encrypt_type is 0',
  ],
  ['limits, token lifetime', 'left open', 'a token lasts 30 days'],
]

const headers: Line[] = [
  [
    'header access-token',
    'string, not required: token',
    'carries the token; certificate, notify and statistics ask for it, and a wrong one is refused',
  ],
  ['header app_id', 'string, required: app ID', 'every endpoint refuses a call without it, and one of an unknown app'],
  [
    'header group_id',
    'int64, not required; with an admin token the call is made as an admin of that group',
    'a notification to all reaches the members of that group alone',
  ],
  [
    'header group_id, admin tokens only',
    'may be set only when access-token is an admin token',
    'is refused beside a user token, and where it is no integer or no group',
  ],
  [
    'header user_id, user token',
    'int64, not required; may be set when access-token is a user token',
    'a user may name itself and nobody else',
  ],
  [
    'header user_id, admin token',
    'int64, not required; may be set when access-token is an admin token',
    'a notification to all reaches the devices of that user alone',
  ],
  [
    'authentication 1',
    'every call carries app_id and normally access-token, which no endpoint marks as required, logins included',
    'the three logins work without an access-token and do not mind one',
  ],
  [
    'authentication 3',
    'an admin token plus group_id makes the call as an admin of that group',
    'what was sent as a group is seen by that group and the app, and by no other group',
  ],
  [
    'authentication 4',
    'user_id in the header makes the call on behalf of that user',
    'what an admin sent on behalf of a user is seen by that user, and by no other user',
  ],
  ['authentication 5', 'how an admin token is obtained: left open', 'the command line makes one, and it works at once'],
]

const envelope: Line[] = [
  ['envelope code', 'int32: return code; 200 is success', 'is 200 on every endpoint that succeeds'],
  [
    'envelope data',
    'object or list of objects, as the endpoint says',
    'is an object everywhere, and a list of objects for statistics',
  ],
  ['envelope message', 'string: error information; null on success', 'is null on success and text on failure'],
  ['bodies', 'all bodies are JSON', 'answers are application/json, and a body of another type is refused'],
  [
    'errors 1',
    'every response uses the envelope with code, data and message',
    'success, refusals, unknown paths, wrong methods and malformed JSON answer alike',
  ],
  ['errors 2', 'success: code is 200 and message is null', 'every endpoint that succeeds says so in both'],
  ['errors 3', 'on failure message carries error information', 'names the field and what would be right'],
  ['errors 4', 'other code values: left open', 'each condition has its own code'],
  ['errors 5', 'HTTP status codes for failures: left open', 'each code comes with its HTTP status'],
  ['versioning', 'no version appears in paths or headers', 'the six paths answer as they are written'],
]

const certificate: Line[] = [
  [
    'the service, certificates',
    'returns the certificate record for a chosen provider and environment',
    'every provider has a record of its own in each environment',
  ],
  ['certificate record app_id', 'string: app ID at the provider', 'is the one that was set'],
  ['certificate record app_key', 'string: app key at the provider', 'is the one that was set'],
  ['certificate record app_secret', 'string: app secret at the provider', 'is the one that was set'],
  ['certificate record certificate', 'string: certificate', 'is the one that was set'],
  ['certificate record name', 'string: certificate name', 'is the one that was set'],
  [
    'GET /push/certificate',
    'no body; response 200: envelope with the certificate record',
    'answers 200 with the five fields, all text, also where the provider has no use for one',
  ],
  ['GET /push/certificate environment', 'int32, not required', 'other values than 0 and 1 are refused'],
  ['GET /push/certificate environment 0', 'development', 'gives the record for development'],
  ['GET /push/certificate environment 1', 'production', 'gives the record for production'],
  ['GET /push/certificate environment, default', 'default 1', 'gives the record for production where it is absent'],
  ['GET /push/certificate provider', 'int32, required', 'is required, and what is no provider is refused'],
  ...providers.map((name, i): Line => [
    `GET /push/certificate provider ${i + 1}`,
    name,
    `gives the record of ${name}`,
  ]),
]

const listOf = { tag: 'array[string]', alias: 'array[string]', user_id: 'array[int64]', push_token: 'array[string]' }
const meaning = {
  tag: 'devices labelled with any listed tag',
  alias: 'devices with any listed alias',
  user_id: 'devices of any listed user ID',
  push_token: 'devices with any listed push token',
}

const notifyAudience: Line[] = [
  [
    'the service, notifications',
    'accepts a notification for an audience, delivers it over its own and/or vendor channels, returns a task ID',
    'a notification reaches one device over the own channel, another through a vendor, under the task ID that was returned',
  ],
  ['POST /push/notify', 'response 200: envelope with an object with task_id (int64)', 'answers 200 with a task_id'],
  [
    'POST /push/notify audience',
    'string or object, not blank',
    'is refused where it is absent, blank, or neither all nor an object',
  ],
  ['audience all', 'the string all: all devices', 'reaches every device of the app, and none of another'],
  [
    'audience, one key',
    'an object with exactly one of the keys',
    'two keys, an unknown one and a blank one are refused',
  ],
  ...audienceLists.map((key): Line => [
    `audience.${key}`,
    `${listOf[key]}: ${meaning[key]}`,
    'reaches these devices, each once, and no other; items of another type are refused',
  ]),
  ...audienceLists.map((key): Line => [
    `limits, audience.${key}`,
    'at most 500 items',
    '500 items are taken, 501 are refused',
  ]),
  ['limits, rates', 'left open', 'a hundred notifications at once are all accepted'],
]

const notifySetting: Line[] = [
  [
    'POST /push/notify setting',
    'object: push settings; may be blank',
    'may be absent or blank; what is no object is refused',
  ],
  [
    'setting.request_id',
    'string: if the same ID was used before, nothing is pushed',
    'the same one again answers with the first task and pushes nothing; another type is refused',
  ],
  ['setting.request_id, blank', 'blank means no deduplication', 'the same notification twice is pushed twice'],
  ['setting.distribution_strategy', 'string, one of three', 'other values are refused'],
  [
    'setting.distribution_strategy combined',
    'own channel first; vendor channel if the device is not online',
    'a device that is online gets it over the own channel, one that is away through its vendor, or without one when it comes',
  ],
  [
    'setting.distribution_strategy nativepush_only',
    'own channel only',
    'a device that is online gets it over the own channel, one that is away when it comes',
  ],
  [
    'setting.distribution_strategy ospush_only',
    'vendor channels only',
    'it goes through the vendor, and nothing over the own channel, not even to a device that is online',
  ],
  [
    'setting.distribution_strategy, blank',
    'blank means combined',
    'a device that is online gets it over the own channel, one that is away through its vendor, or without one when it comes',
  ],
  [
    'setting.ospush_sequence',
    'array[string]: vendor push priority',
    'the vendor that is named first gets it, then the next; other items and types are refused',
  ],
  ...sequenceItems.map((item): Line => [
    `setting.ospush_sequence ${item}`,
    item === 'ups' ? 'domestic vendors: Xiaomi, Huawei, Meizu, OPPO, VIVO' : 'allowed item',
    item === 'ups' ? 'leads to each of these five, Xiaomi first' : 'leads to that vendor, whatever else the device has',
  ]),
  [
    'setting.ospush_sequence, blank',
    'blank means [ups, fcm]',
    'an empty list, null and none at all lead to a vendor of ups, and to fcm where there is none',
  ],
]

const notifyMessage: Line[] = [
  [
    'POST /push/notify message',
    'object: message body; must not be blank',
    'is refused where it is absent, blank, no object or holds nothing',
  ],
  ['message.type', 'string, one of three', 'other values are refused'],
  ['message.type text', 'text', 'reaches the device as text'],
  ['message.type image', 'image', 'reaches the device as an image with its URL'],
  ['message.type cmd', 'pass-through message', 'reaches the device as cmd and leaves its badge alone'],
  ['message.type, blank', 'blank means text', 'reaches the device as text'],
  ['message.title', 'string: title; may be blank', 'reaches the device; a blank one is left out'],
  ['message.body', 'string: content; may be blank', 'reaches the device; a blank one is left out'],
  [
    'message.attachment_url',
    'string: URL of an image, audio or video; may be blank',
    'reaches the device; a blank one is left out, and what is no URL is refused',
  ],
  [
    'message.attachment_url, image',
    'an image URL must end in .jpg, .jpeg or .png',
    'these three endings are taken for an image, others and none are refused',
  ],
  [
    'message.big_text',
    'string: pushed as large text where supported, otherwise body as ordinary text',
    'reaches the device beside the body; a vendor gets it as long text where it has that, else the body; a blank one is left out',
  ],
  ['message.badge', 'string', 'what is no number with or without + is refused'],
  ['message.badge, number', 'numeric string: badge is set to that number', 'the device is told that number'],
  ['message.badge, plus', 'string starting with +: that number is added to the badge', 'the device is told the sum'],
  ['message.badge, blank', 'blank means +1', 'the device is told one more'],
  [
    'message.ext',
    'object: free-form extension fields; may be blank',
    'reaches the device as it was written; a blank one is left out, and what is no object is refused',
  ],
  [
    'message.show_begin_time',
    'int64: start of timed presentation, in seconds; blank means at once',
    'reaches the device, whose app presents then; a blank one is left out, text is refused',
  ],
  [
    'message.show_end_time',
    'int64: end of timed presentation, in seconds; may be blank',
    'reaches the device; a blank one is left out, text, the past and an end before the start are refused',
  ],
  [
    'limits, image size',
    'an image of attachment_url is under 1 MB',
    'an image elsewhere is passed on by its URL and never fetched',
    'A file that Carillon keeps itself is refused at 1 MB when it is uploaded.',
  ],
  [
    'limits, recommended image size',
    '876x324 px recommended',
    'an image of any size is taken: a recommendation refuses nothing',
  ],
]

const notifyPlatform: Line[] = [
  ['message.ios', 'object: parameters for iOS', 'reaches the device; a blank one is left out'],
  ['message.android', 'object: parameters for Android', 'reaches the device; a blank one is left out'],
  ...vendorObjects.map((object): Line => [
    `message.${object}`,
    'object: vendor-specific parameters',
    'reaches that vendor and goes before android; what is no object is refused',
  ]),
  ['message.ios and message.android', 'each has its own fields', 'a field of the one is not taken for the other'],
  ['message.ios.sound', 'string: alert sound', 'reaches the device and APNs; blank is absent, another type is refused'],
  [
    'message.ios.content_available',
    'boolean: APNs content-available',
    'reaches the device and APNs; blank is absent, another type is refused',
  ],
  [
    'message.ios.mutable_content',
    'boolean: APNs mutable-content',
    'reaches the device and APNs; blank is absent, another type is refused',
  ],
  [
    'message.ios.category',
    'string: APNs payload category',
    'reaches the device and APNs; blank is absent, another type is refused',
  ],
  [
    'message.ios.thread_id',
    'string: APNs thread-id',
    'reaches the device and APNs; blank is absent, another type is refused',
  ],
  ['message.ios.subtitle', 'string', 'reaches the device and APNs; blank is absent, another type is refused'],
  [
    'message.ios.apns_collapse_id',
    'string: replaces earlier notifications with the same ID',
    'reaches the device and APNs; blank is absent, another type is refused',
  ],
  ...(['android', ...vendorObjects] as const).flatMap((object): Line[] => {
    const reaches = (field: string): string => {
      if (object === 'android') return 'reaches the device, and a vendor where its own object says nothing'
      return lacking[object]?.includes(field) ? 'is taken, and left out: the vendor has no such field' : 'reaches the vendor'
    }
    return [
      [
        `message.${object}.sound`,
        'string: alert sound; may be blank',
        `${reaches('sound')}; blank is absent, another type is refused`,
      ],
      [
        `message.${object}.channel_id`,
        'string: notification bar channel; may be blank',
        `${reaches('channel_id')}; blank is absent, another type is refused`,
      ],
      [
        `message.${object}.click_action`,
        'intent or open_app; may be blank',
        `each of both ${reaches('click_action')}; blank is absent, another value is refused`,
      ],
      [
        `message.${object}.intent`,
        'page to open, an intent URI; must be non-blank where click_action is intent',
        `${reaches('intent')}; where click_action is intent, a blank one and one of another shape are refused`,
      ],
    ]
  }),
  ...(['huawei', 'honor'] as const).map((object): Line => [
    `message.${object}.badge_class`,
    'string: entry activity class of the desktop icon; may be blank',
    'reaches the vendor; blank is absent, another type is refused',
  ]),
  [
    'message.vivo.push_mode',
    'int32: 0 production push, 1 testing push; default 0',
    'reaches the vendor; blank is absent, other values are refused',
  ],
  [
    'message.vivo.classification',
    'int32: 0 operational message, 1 system message; default 0',
    'reaches the vendor; blank is absent, other values are refused',
  ],
]

const counts = {
  target: ['valid target number', 'devices the channel was chosen for'],
  sent: ['sent number', 'devices it was handed over to'],
  received: ['delivery number', 'devices that acknowledged it, or whose vendor reported it'],
} as const

const statistics: Line[] = [
  [
    'the service, statistics',
    'returns per-channel delivery counts for a list of task IDs',
    'counts of several tasks come in one answer, each task its own',
  ],
  ['push task task_id', 'int64, returned by the send operation', 'the id of the send operation finds the task'],
  ['push task state', 'left open', 'a task says its state, which is done when nothing is left to try'],
  [
    'POST /push/task/detail',
    'response 200: envelope with an array of statistics records, one per task',
    'answers one record per task in the order asked; unknown ids are left out',
  ],
  ['POST /push/task/detail list', 'array[int64], required', 'is required, and items are exact integers'],
  ['limits, list of /push/task/detail', 'left open', '500 ids are taken, 501 are refused'],
  ['statistics record', '27 counters plus task_id', 'has these 28 fields, all integers, and no other but three for each further channel'],
  ['statistics record task_id', 'int64: the push task ID', 'is the id that was asked for'],
  ...channels.flatMap((channel) =>
    (['sent', 'received', 'target'] as const).map((count): Line => [
      `statistics record ${channel}_${count}`,
      `int64: ${counts[count][0]}`,
      `counts the ${counts[count][1]}`,
    ]),
  ),
]

const lines: Record<Area, Line[]> = {
  token,
  headers,
  envelope,
  certificate,
  'notify-audience': notifyAudience,
  'notify-setting': notifySetting,
  'notify-message': notifyMessage,
  'notify-platform': notifyPlatform,
  statistics,
}

/** Every row of the interface, in its order within an area. */
export const rows: readonly Row[] = areas.flatMap((area) =>
  lines[area].map(([row, asked, promise, later]): Row => ({ area, row, asked, promise, ...(later && { later }) })),
)
