import test, { type TestContext } from 'node:test'
import { readCredentialFile } from './read-file.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

test('a key is taken as text, without what an editor put before it', (t: TestContext) => {
  const key = '-----BEGIN EXAMPLE-----\nAAAA\n-----END EXAMPLE-----'
  t.assert.deepEqual(readCredentialFile(bytes(`\uFEFF${key}\r\n`)), { kind: 'readKey', text: key })
})

test('a service account is taken as it is', (t: TestContext) => {
  t.assert.deepEqual(readCredentialFile(bytes('{"type":"service_account"}\n')), { kind: 'readJson', text: '{"type":"service_account"}' })
})

test('a .p12 file becomes base64', (t: TestContext) => {
  t.assert.deepEqual(readCredentialFile(Uint8Array.of(0x30, 0x82, 0x01, 0xff)), { kind: 'readP12', text: 'MIIB/w==' })
})

test('anything else is text', (t: TestContext) => {
  t.assert.deepEqual(readCredentialFile(bytes(' secret ')), { kind: 'readText', text: 'secret' })
})
