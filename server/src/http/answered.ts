/** The `data` of an envelope, together with headers of this one answer. */
export class Answered<D> {
  readonly data: D
  readonly headers: Record<string, string>

  constructor(data: D, headers: Record<string, string>) {
    this.data = data
    this.headers = headers
  }
}
