/** A number for each text, the same for the same text: what is compared with many is compared faster so. */
export class TextNumbers {
  readonly #numbers = new Map<string, number>();

  /** From 1 on. */
  of(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) {
      return known;
    }
    const number = this.#numbers.size + 1;
    this.#numbers.set(text, number);
    return number;
  }
}
