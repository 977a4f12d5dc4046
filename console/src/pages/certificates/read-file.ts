/** What a dropped file seems to be. */
export type FileKind = 'readKey' | 'readJson' | 'readP12' | 'readText'

export interface ReadFile {
  kind: FileKind
  text: string
}

// A .p12 file is DER: a sequence whose length takes two bytes or more.
const isDer = (bytes: Uint8Array): boolean => bytes[0] === 0x30 && bytes[1]! >= 0x81

const base64 = (bytes: Uint8Array): string => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))

/** The text of a file as a certificate takes it: keys and JSON as they are, a .p12 file as base64. */
export const readCredentialFile = (bytes: Uint8Array): ReadFile => {
  if (isDer(bytes)) return { kind: 'readP12', text: base64(bytes) }
  const text = new TextDecoder().decode(bytes).replace(/^\uFEFF/, '').trim()
  if (text.startsWith('-----BEGIN ')) return { kind: 'readKey', text }
  if (text.startsWith('{')) return { kind: 'readJson', text }
  return { kind: 'readText', text }
}
