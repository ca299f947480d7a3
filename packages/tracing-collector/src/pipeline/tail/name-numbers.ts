/**
 * Numbers for names, from 1. After the first `maxNames`, all new names share the number 0, because names that senders
 * invent must not fill the memory.
 */
export class NameNumbers {
  readonly #maxNames: number;
  readonly #numbers = new Map<string, number>();
  readonly #names: string[] = [""];

  /** The last name, because the same name often repeats, and decoding it each time would be most of the cost. */
  #last: Buffer | undefined;
  #lastPrefix = "";
  #lastNumber = 0;

  constructor(maxNames: number) {
    this.#maxNames = maxNames;
  }

  /** @param prefix placed before the text at `[start, end)` */
  numberOf(bytes: Uint8Array, start: number, end: number, prefix = ""): number {
    if (prefix === this.#lastPrefix && this.#isLast(bytes, start, end)) {
      return this.#lastNumber;
    }
    this.#last = Buffer.from(bytes.subarray(start, end));
    this.#lastPrefix = prefix;
    this.#lastNumber = this.#find(prefix + this.#last.toString());
    return this.#lastNumber;
  }

  #find(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) {
      return known;
    }
    if (this.#numbers.size >= this.#maxNames) {
      return 0;
    }
    const number = this.#names.length;
    this.#names.push(name);
    this.#numbers.set(name, number);
    return number;
  }

  #isLast(bytes: Uint8Array, start: number, end: number): boolean {
    const last = this.#last;
    if (last === undefined || last.length !== end - start) {
      return false;
    }
    for (let index = 0; index < last.length; index++) {
      if (last[index] !== bytes[start + index]) {
        return false;
      }
    }
    return true;
  }

  /** Name for a number; "" for 0. */
  nameOf(number: number): string {
    return this.#names[number] ?? "";
  }
}
