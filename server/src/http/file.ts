import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Attached } from '@carillon/protocol/answers.ts'
import { Refused } from '@carillon/protocol/errors.ts'
import { Type } from '@carillon/protocol/type.ts'
import { described, Name, Text } from '@carillon/protocol/types.ts'
import { type AttachmentParts, attach, attachForApp, fileAt } from '../access/attachments.ts'
import type { Scope } from '../store/scope.ts'
import { Gone } from './body.ts'
import { type Route, route } from './route.ts'
import { Written } from './written.ts'

// Nothing of ours runs in a browser that opens it: no sniffing, no scripts, no frames, nothing loaded.
const safely = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
  'cache-control': 'public, max-age=31536000, immutable',
  'accept-ranges': 'bytes',
}

const exampleKey = '4f1cbe0937a2d85e6b40'

export const fileRoutes = (parts: AttachmentParts): Route[] => [
  route({
    method: 'PUT',
    path: '/file/:name',
    who: 'app',
    noun: 'files',
    summary: 'Keeps an image, audio or video to attach; answers its public address. The body is the file itself.',
    takes: {
      'store-token': "The user's file token. Without it, access-token says who it is: an admin, who keeps it for the app itself.",
      signature: 'Required with store-token: hex HMAC-SHA256 with access_key_secret over "PUT\\n" + path + "\\n" + hex SHA-256 of the body.',
      'access-token': "An admin's, in place of store-token and signature.",
    },
    params: Type.Object({ name: described(Name, 'As people should see it: .jpg, .jpeg, .png, or of audio or video.') }),
    upload: 'application/octet-stream',
    answer: Attached,
    refuses: ['tokenMissing', 'tokenInvalid', 'tokenExpired', 'notAllowed', 'userUnknown', 'groupUnknown', 'imageTooLarge', 'bodyTooLarge'],
    example: { params: { name: 'bell.png' }, answer: { url: `https://push.example.com/file/${exampleKey}/bell.png` } },
    handle: async ({ app, params: { name }, request, scopeNow }) => {
      const header = (key: string): string | undefined => [request.headers[key]].flat()[0]
      const path = request.url!.split('?', 1)[0]!
      const storeToken = header('store-token')
      try {
        const key = storeToken
          ? await attach(parts, app, { name, path, storeToken, signature: header('signature'), body: request })
          : await attachForApp(parts, adminsAlone(await scopeNow()), { name, body: request })
        return { url: `${parts.publicUrl()}/file/${key}/${encodeURIComponent(name)}` }
      } catch (error) {
        if (request.destroyed && !(error instanceof Refused)) throw new Gone()
        throw error
      }
    },
  }),
  route({
    method: 'GET',
    path: '/file/:key/:name',
    who: 'nobody',
    noun: 'files',
    summary: 'A file as it was kept. Whoever has the address has the file.',
    params: Type.Object({ key: Text(64, { description: 'Nobody guesses it.' }), name: described(Name, 'The name it was kept under.') }),
    document: 'application/octet-stream',
    refuses: ['badParameter', 'pathUnknown'],
    example: { params: { key: exampleKey, name: 'bell.png' } },
    handle: async ({ params: { key, name }, request }) => {
      const file = await fileAt(parts, key)
      if (!file || file.name !== name) throw new Refused('pathUnknown')
      const range = rangeOf(request.headers.range, file.size)
      if (range === 'outside') {
        return new Written(async (response) => {
          response.writeHead(416, { ...safely, 'content-range': `bytes */${file.size}`, 'content-length': 0 })
          response.end()
        })
      }
      const { start, end } = range ?? { start: 0, end: file.size - 1 }
      const headers = {
        ...safely,
        'content-type': file.type,
        'content-length': end - start + 1,
        ...(range && { 'content-range': `bytes ${start}-${end}/${file.size}` }),
      }
      const bytes = await parts.files.get(key, { start, end })
      if (!bytes) throw new Refused('pathUnknown')
      return new Written((response) => answer(response, range ? 206 : 200, headers, bytes, request.method === 'HEAD'))
    },
  }),
]

const adminsAlone = (scope: Scope): Scope => {
  if (scope.kind !== 'app') throw new Refused('notAllowed', 'without store-token only an admin token without group_id and user_id may do this')
  return scope
}

const answer = async (response: ServerResponse, status: number, headers: Record<string, string | number>, bytes: Readable, headOnly: boolean): Promise<void> => {
  response.writeHead(status, headers)
  if (headOnly) {
    bytes.destroy()
    response.end()
    return
  }
  // Whoever stops in the middle of a file needs no answer, and the status is written already.
  await pipeline(bytes, response).catch(() => response.destroy())
}

/** One range, as players ask for it; anything else gets the whole file. */
const rangeOf = (header: string | undefined, size: number): { start: number; end: number } | 'outside' | undefined => {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '')
  if (!match || (match[1] === '' && match[2] === '')) return undefined
  const start = match[1] === '' ? Math.max(0, size - Number(match[2])) : Number(match[1])
  const end = match[1] === '' || match[2] === '' ? size - 1 : Math.min(Number(match[2]), size - 1)
  return start > end || start >= size ? 'outside' : { start, end }
}
