/** Counts answers that cost the asker less than us, so that a flood of questions takes a bounded share of the processor. */
export class AnswerRate {
  readonly #perSecond: number;
  #windowFrom = 0;
  #count = 0;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** @returns whether one more answer is allowed */
  take(now: number): boolean {
    if (now - this.#windowFrom >= 1_000) {
      this.#windowFrom = now;
      this.#count = 0;
    }
    this.#count++;
    return this.#count <= this.#perSecond;
  }
}
