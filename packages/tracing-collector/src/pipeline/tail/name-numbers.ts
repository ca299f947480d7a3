/**
 * Numbers for names, from 1 on. Past `maxNames` all new names share the number 0: what senders make up must not fill
 * the memory.
 */
export class NameNumbers {
  readonly #maxNames: number;
  readonly #numbers = new Map<string, number>();
  readonly #names: string[] = [""];

  constructor(maxNames: number) {
    this.#maxNames = maxNames;
  }

  /** @param prefix put before the text at `[start, end)` */
  numberOf(bytes: Uint8Array, start: number, end: number, prefix = ""): number {
    const name = prefix + Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString();
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    if (this.#numbers.size >= this.#maxNames) return 0;
    const number = this.#names.length;
    this.#names.push(name);
    this.#numbers.set(name, number);
    return number;
  }

  /** "" for 0. */
  nameOf(number: number): string {
    return this.#names[number] ?? "";
  }
}
