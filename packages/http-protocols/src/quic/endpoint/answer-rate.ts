/**
 * Counts responses that cost this side more than the sender, so that a flood of packets uses only a limited part of the
 * CPU time.
 */
export class AnswerRate {
  readonly #perSecond: number;
  #windowFrom = 0;
  #count = 0;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** @returns true when one more response is allowed */
  take(now: number): boolean {
    if (now - this.#windowFrom >= 1_000) {
      this.#windowFrom = now;
      this.#count = 0;
    }
    this.#count++;
    return this.#count <= this.#perSecond;
  }
}
