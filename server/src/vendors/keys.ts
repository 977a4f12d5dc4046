import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import type { Problem } from './vendor.ts'

/** The first private key of a PEM text; undefined when there is none. */
export const readPrivateKey = (pem: string): KeyObject | undefined => {
  // An encrypted one is not opened: its writer chooses how many rounds that takes, and they would stall every socket.
  if (isEncrypted(pem)) return undefined
  try {
    return createPrivateKey(pem)
  } catch {
    return undefined // what OpenSSL says helps nobody here
  }
}

/** A certificate whose private key is there and belongs to it, or what stands in the way. */
export type Identity = { leaf: X509Certificate } | { problem: Problem }

const BEGIN_CERTIFICATE = '-----BEGIN CERTIFICATE-----'
const CHAIN_LIMIT = 10

const isEncrypted = (pem: string): boolean => pem.includes('ENCRYPTED')
export const holdsCertificate = (pem: string): boolean => pem.includes(BEGIN_CERTIFICATE)
export const holdsPrivateKey = (pem: string): boolean => pem.includes('PRIVATE KEY-----')

const wrong = (field: 'certificate' | 'app_secret', expected: string): Identity => ({ problem: { field, expected } })
const keyMissing = () =>
  wrong('certificate', 'must hold the private key beside the certificate: export both together')

/** Opens what a client shows in a TLS handshake: PEM text with certificate and key, or a PKCS#12 file in base64. */
export const openIdentity = (certificate: string, passphrase: string): Identity =>
  holdsCertificate(certificate) ? openPem(certificate) : openPkcs12(certificate, passphrase)

const openPem = (pem: string): Identity => {
  if (!holdsPrivateKey(pem)) return keyMissing()
  const key = readPrivateKey(pem)
  if (!key) {
    const how = isEncrypted(pem) ? 'unencrypted (only a .p12 may have a passphrase)' : 'with its BEGIN and END lines'
    return wrong('certificate', `must hold the private key ${how}`)
  }
  // The chain may come in any order; the leaf is the one the key belongs to.
  for (const block of pem.split(BEGIN_CERTIFICATE).slice(1, 1 + CHAIN_LIMIT)) {
    const leaf = readCertificate(BEGIN_CERTIFICATE + block)
    if (leaf?.checkPrivateKey(key)) return { leaf }
  }
  return wrong('certificate', 'must hold the certificate that belongs to its private key: these two do not match')
}

const openPkcs12 = (base64: string, passphrase: string): Identity => {
  const compact = base64.replace(/\s+/g, '')
  const notOne = 'must be a .p8 key as text, a .p12 file in base64, or PEM text with a certificate and its private key'
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(compact)) return wrong('certificate', notOne)
  const pfx = Buffer.from(compact, 'base64')
  if (readCertificate(pfx)) return keyMissing()
  try {
    // node:crypto has no reader of PKCS#12; the TLS context opens it and knows the leaf.
    const { context } = createSecureContext({ pfx, passphrase })
    return { leaf: new X509Certificate(context.getCertificate()) }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (message.includes('mac verify failure')) {
      return wrong('app_secret', 'must be the passphrase of the .p12 file in certificate: this one does not open it')
    }
    if (message.includes('private key')) return keyMissing()
    if (code === 'ERR_CRYPTO_UNSUPPORTED_OPERATION') {
      return wrong(
        'certificate',
        'must be a .p12 file with current encryption: this one uses RC2 or 3DES, as Keychain does. ' +
          'Turn it into PEM with "openssl pkcs12 -legacy -nodes -in FILE.p12" and give that',
      )
    }
    return wrong('certificate', notOne)
  }
}

const readCertificate = (encoded: string | Buffer): X509Certificate | undefined => {
  try {
    return new X509Certificate(encoded)
  } catch {
    return undefined
  }
}
