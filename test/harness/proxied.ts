import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../scripts/free-port.ts'
import { newInstallation, startServers } from '../../scripts/shared-servers.ts'
import { startNginx, type ThrowawayNginx } from '../../scripts/throwaway-nginx.ts'
import { Node } from './node.ts'

export interface Place {
  http: number
  mqtt: number
}

/** An nginx with the configuration that stands in deploy/, in front of these places. */
export interface Front extends ThrowawayNginx {
  http: string
  webSocket: string
  mqtt: string
}

/** `tls`: the lines for it are taken in, with this certificate and key. */
export const startFront = async (places: readonly Place[], tls?: { cert: string; key: string }): Promise<Front> => {
  const [httpPort, mqttPort] = [await freePort(), await freePort()]
  const kept = await readFile(new URL('../../deploy/nginx/carillon.conf', import.meta.url), 'utf8')
  const here = places.reduce(
    (text, { http, mqtt }, i) => text.replaceAll(`carillon-${i + 1}:7700`, `127.0.0.1:${http}`).replaceAll(`carillon-${i + 1}:7701`, `127.0.0.1:${mqtt}`),
    kept,
  )
  const listening = tls
    ? here
        .replace(/^ +listen (80|7701).*\n/gm, '')
        .replaceAll('# TLS: ', '')
        .replace('listen 443', `listen 127.0.0.1:${httpPort}`)
        .replace('listen 7702', `listen 127.0.0.1:${mqttPort}`)
        .replaceAll('/etc/nginx/tls/fullchain.pem', tls.cert)
        .replaceAll('/etc/nginx/tls/privkey.pem', tls.key)
    : here.replace('listen 80', `listen 127.0.0.1:${httpPort}`).replace('listen 7701', `listen 127.0.0.1:${mqttPort}`)
  const nginx = await startNginx(listening, httpPort)
  const s = tls ? 's' : ''
  return Object.assign(nginx, {
    http: `http${s}://127.0.0.1:${httpPort}`,
    webSocket: `ws${s}://127.0.0.1:${httpPort}/mqtt`,
    mqtt: `mqtt${s}://127.0.0.1:${mqttPort}`,
  })
}

/** Three nodes that do everything, on one PostgreSQL and one NATS of their own. */
export const startThree = async (t: { after(work: () => unknown): void }, env: NodeJS.ProcessEnv): Promise<Node[]> => {
  const data = await mkdtemp(join(tmpdir(), 'carillon-test-'))
  const servers = await startServers()
  const shared = { CARILLON_DATA: data, ...(await newInstallation(servers.env)), ...env }
  const nodes = Array.from({ length: 3 }, () => new Node(shared))
  t.after(async () => {
    await Promise.all(nodes.map((node) => node.kill()))
    await servers.stop()
    await rm(data, { recursive: true, force: true })
  })
  await nodes[0]!.start() // who is first makes the app to try things with
  await Promise.all(nodes.slice(1).map((node) => node.start()))
  return nodes
}
