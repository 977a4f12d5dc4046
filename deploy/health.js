// Whether the server in this container answers, by its own settings: exits 0 or 1. The image has no curl.
import { get as overHttp } from 'node:http'
import { get as overHttps } from 'node:https'

const { CARILLON_HOST = '127.0.0.1', CARILLON_PORT = '7700', CARILLON_TLS_CERT = '' } = process.env
const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[CARILLON_HOST] ?? CARILLON_HOST
const place = { host, port: CARILLON_PORT, path: '/health/live', timeout: 2_000 }
const took = (response) => process.exit(response.statusCode === 200 ? 0 : 1)

// Its certificate is for the name others call it by, not for this one.
const asked = CARILLON_TLS_CERT === '' ? overHttp(place, took) : overHttps({ ...place, rejectUnauthorized: false }, took)
asked.on('timeout', () => process.exit(1)).on('error', () => process.exit(1))
