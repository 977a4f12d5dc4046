/** How many connections of one address may be unknown at once. */
export class Gate {
  readonly #limit: number
  readonly #inside = new Map<string, number>()

  constructor(limit: number) {
    this.#limit = limit
  }

  admits(address: string): boolean {
    return (this.#inside.get(address) ?? 0) < this.#limit
  }

  enter(address: string): void {
    this.#inside.set(address, (this.#inside.get(address) ?? 0) + 1)
  }

  leave(address: string): void {
    const count = this.#inside.get(address) ?? 0
    if (count > 1) this.#inside.set(address, count - 1)
    else this.#inside.delete(address)
  }
}
