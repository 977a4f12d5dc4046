/** What may be attached: by the ending of its name, and its first bytes must agree. */
export interface Kind {
  type: string
  /** The largest size, excluded. */
  under: number
  isImage: boolean
  begins(head: Buffer): boolean
}

const IMAGE_UNDER = 1024 * 1024
const MEDIA_UNDER = 20 * 1024 * 1024 + 1

/** More than every test below looks at. */
export const HEAD_BYTES = 16

const at = (offset: number, text: string) => (head: Buffer): boolean => head.subarray(offset, offset + text.length).equals(Buffer.from(text, 'latin1'))
const both = (one: (head: Buffer) => boolean, other: (head: Buffer) => boolean) => (head: Buffer): boolean => one(head) && other(head)

const image = (type: string, begins: Kind['begins']): Kind => ({ type, under: IMAGE_UNDER, isImage: true, begins })
const media = (type: string, begins: Kind['begins']): Kind => ({ type, under: MEDIA_UNDER, isImage: false, begins })

const isJpeg = at(0, '\xff\xd8\xff')
const isMpegAudio = (head: Buffer): boolean => at(0, 'ID3')(head) || (head[0] === 0xff && (head[1]! & 0xe0) === 0xe0)
const isMatroska = at(0, '\x1a\x45\xdf\xa3')
const isBaseMedia = at(4, 'ftyp')

const kinds: Record<string, Kind> = {
  jpg: image('image/jpeg', isJpeg),
  jpeg: image('image/jpeg', isJpeg),
  png: image('image/png', at(0, '\x89PNG\r\n\x1a\n')),
  mp3: media('audio/mpeg', isMpegAudio),
  aac: media('audio/aac', isMpegAudio),
  m4a: media('audio/mp4', isBaseMedia),
  ogg: media('audio/ogg', at(0, 'OggS')),
  opus: media('audio/ogg', at(0, 'OggS')),
  wav: media('audio/wav', both(at(0, 'RIFF'), at(8, 'WAVE'))),
  flac: media('audio/flac', at(0, 'fLaC')),
  amr: media('audio/amr', at(0, '#!AMR')),
  mp4: media('video/mp4', isBaseMedia),
  m4v: media('video/mp4', isBaseMedia),
  mov: media('video/quicktime', isBaseMedia),
  webm: media('video/webm', isMatroska),
}

export const endings = Object.keys(kinds)

/** The kind a name claims; undefined: it may not be attached. */
export const kindOf = (name: string): Kind | undefined => {
  const ending = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase()
  return ending !== undefined && Object.hasOwn(kinds, ending) ? kinds[ending] : undefined
}
