import { readFile } from 'node:fs/promises'
import { freePort } from '../../scripts/free-port.ts'
import { startNginx, type ThrowawayNginx } from '../../scripts/throwaway-nginx.ts'
import { Api } from './api.ts'
import type { Doors } from './device.ts'

/** The ports of what nginx is put in front of. */
export interface Place {
  http: number
  mqtt: number
}

/** An nginx with the configuration that stands in deploy/, and what is reached through it. */
export class Front extends Api implements Doors {
  readonly http: string
  readonly mqtt: string
  readonly webSocket: string
  readonly nginx: ThrowawayNginx

  constructor(nginx: ThrowawayNginx, ports: Place, s: '' | 's') {
    super()
    this.nginx = nginx
    this.http = `http${s}://127.0.0.1:${ports.http}`
    this.mqtt = `mqtt${s}://127.0.0.1:${ports.mqtt}`
    this.webSocket = `ws${s}://127.0.0.1:${ports.http}/mqtt`
  }

  protected addressFor(): string {
    return this.http
  }
}

interface FrontOptions {
  admin: string
  /** The lines for TLS are taken in, with this certificate and key. */
  tls?: { cert: string; key: string }
}

/** Starts one in front of three places; it ends with the test. */
export const startFront = async (t: { after(work: () => unknown): void }, places: readonly Place[], { admin, tls }: FrontOptions): Promise<Front> => {
  const ports = { http: await freePort(), mqtt: await freePort() }
  const kept = await readFile(new URL('../../deploy/nginx/carillon.conf', import.meta.url), 'utf8')
  const placed = places.reduce(
    (text, { http, mqtt }, i) => text.replaceAll(`carillon-${i + 1}:7700`, `127.0.0.1:${http}`).replaceAll(`carillon-${i + 1}:7701`, `127.0.0.1:${mqtt}`),
    kept,
  )
  const listening = tls
    ? placed
        .replace(/^ +listen (80|7701).*\n/gm, '')
        .replaceAll('# TLS: ', '')
        .replace('listen 443', `listen 127.0.0.1:${ports.http}`)
        .replace('listen 7702', `listen 127.0.0.1:${ports.mqtt}`)
        .replaceAll('/etc/nginx/tls/fullchain.pem', tls.cert)
        .replaceAll('/etc/nginx/tls/privkey.pem', tls.key)
    : placed.replace('listen 80', `listen 127.0.0.1:${ports.http}`).replace('listen 7701', `listen 127.0.0.1:${ports.mqtt}`)
  const nginx = await startNginx(listening, ports.http)
  t.after(() => nginx.stop())
  return Object.assign(new Front(nginx, ports, tls ? 's' : ''), { admin })
}
