interface Asked<Q, A> extends PromiseWithResolvers<A> {
  question: Q
}

/**
 * Questions that come while others are being answered are answered together, after them: whoever asks may have stored
 * something that a read under way does not see. When devices come by the thousand, they take one connection to the store
 * and not all of them.
 */
export class Together<Q, A> {
  readonly #most: number
  readonly #answer: (questions: readonly Q[]) => Promise<readonly A[]>
  readonly #asked: Asked<Q, A>[] = []
  #answering = false

  constructor(most: number, answer: (questions: readonly Q[]) => Promise<readonly A[]>) {
    this.#most = most
    this.#answer = answer
  }

  ask(question: Q): Promise<A> {
    const asked = { question, ...Promise.withResolvers<A>() }
    this.#asked.push(asked)
    if (!this.#answering) void this.#answerAll()
    return asked.promise
  }

  async #answerAll(): Promise<void> {
    this.#answering = true
    while (this.#asked.length > 0) {
      const group = this.#asked.splice(0, this.#most)
      try {
        const answers = await this.#answer(group.map(({ question }) => question))
        group.forEach(({ resolve }, i) => resolve(answers[i]!))
      } catch (error) {
        for (const { reject } of group) reject(error)
      }
    }
    this.#answering = false
  }
}
