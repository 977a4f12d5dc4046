import { CarillonError, envelopeOf } from '@carillon/sdk/call.ts'

interface Upload {
  appId: string
  file: File
  signal: AbortSignal
  /** 0 to 1, as it goes on. */
  onProgress(share: number): void
}

/**
 * Keeps a file with the server, in the session's name; resolves to its public address. XMLHttpRequest, because fetch
 * does not tell how much of a body has gone out.
 */
export const upload = ({ appId, file, signal, onProgress }: Upload): Promise<string> =>
  new Promise((resolve, reject) => {
    const path = `/file/${encodeURIComponent(file.name)}`
    const request = new XMLHttpRequest()
    const stop = () => request.abort()
    const fail = (error: unknown) => {
      signal.removeEventListener('abort', stop)
      reject(error as Error)
    }
    request.open('PUT', path)
    // Headers are bytes, one a character; the server reads them as UTF-8.
    request.setRequestHeader('app-id', String.fromCharCode(...new TextEncoder().encode(appId)))
    request.setRequestHeader('content-type', 'application/octet-stream')
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total)
    request.onabort = () => fail(signal.reason)
    request.onerror = () => fail(new CarillonError(0, `${path} could not be called`, 0))
    request.onload = () => {
      try {
        const { code, data, message } = envelopeOf<{ url: string }>(request.responseText, path, request.status)
        if (code !== 200) throw new CarillonError(code, message ?? `${path} answered ${code}`, request.status)
        signal.removeEventListener('abort', stop)
        resolve(data.url)
      } catch (error) {
        fail(error)
      }
    }
    signal.addEventListener('abort', stop)
    request.send(file)
  })
