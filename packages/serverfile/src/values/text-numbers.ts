/** Assigns a number to each text; equal texts have the same number. Numbers are faster to compare many times. */
export class TextNumbers {
  readonly #numbers = new Map<string, number>();

  /** The number of a text, starting at 1. */
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
