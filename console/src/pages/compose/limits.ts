/** Limits that the form tells before the server does; check.test.ts holds those of a request against the protocol. */

/** Items of a list. */
export const LIST_MAX = 500
/** A message as JSON. */
export const MESSAGE_BYTES = 64 * 1024
export const MESSAGE_DEPTH = 32
/** Files to attach: an image has to be smaller than this, audio and video no larger than that. */
export const IMAGE_UNDER = 1024 * 1024
export const MEDIA_MOST = 20 * 1024 * 1024
/** What may be attached, by the ending of its name. */
export const imageEndings = ['jpg', 'jpeg', 'png']
export const mediaEndings = ['mp3', 'aac', 'm4a', 'ogg', 'opus', 'wav', 'flac', 'amr', 'mp4', 'm4v', 'mov', 'webm']
