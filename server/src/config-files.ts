/** Where a store that speaks S3 is, and how it is entered. */
export interface S3Place {
  /** Scheme, host and port of the store. */
  origin: string
  bucket: string
  region: string
  accessKey: string
  secretKey: string
}

/** `s3://ACCESS_KEY:SECRET_KEY@host[:port]/bucket[?region=…&tls=off]`; throws with what is wrong. */
export const parseS3 = (text: string): S3Place => {
  if (!URL.canParse(text)) throw new Error('must be a URL such as s3://key:secret@host/bucket')
  const url = new URL(text)
  const bucket = url.pathname.slice(1)
  if (url.protocol !== 's3:') throw new Error('must begin with s3://')
  if (!url.username || !url.password) throw new Error('must hold an access key and a secret key: s3://key:secret@host/bucket')
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) throw new Error('must end in the name of a bucket')
  return {
    origin: `${url.searchParams.get('tls') === 'off' ? 'http' : 'https'}://${url.host}`,
    bucket,
    region: url.searchParams.get('region') ?? 'us-east-1',
    accessKey: decodeURIComponent(url.username),
    secretKey: decodeURIComponent(url.password),
  }
}
