/** Maps upper-case ASCII letters to lower case, and keeps all other bytes. */
const lowerCase = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte,
);
const sameCase = Uint8Array.from({ length: 256 }, (_, byte) => byte);

/** Number of slots in the hash table: a power of two, because `#slot` uses a mask. */
const slots = 1024;

/** Finds bytes in a fixed list of names without creating a string. */
export class KeyTable {
  readonly #names: readonly Uint8Array[];
  readonly #fold: Uint8Array;
  /** Index of the first name for each hash; -1 when no name has this hash. */
  readonly #heads = new Int16Array(slots).fill(-1);
  /** Index of the next name with the same hash, for each name. */
  readonly #next: Int16Array;
  readonly #longest: number;

  /** @param options.ignoreCase true: ASCII letters match in upper and lower case; false by default */
  constructor(names: readonly string[], options: { readonly ignoreCase?: boolean } = {}) {
    this.#fold = options.ignoreCase ? lowerCase : sameCase;
    this.#names = names.map((name) => Buffer.from(options.ignoreCase ? name.toLowerCase() : name));
    this.#next = new Int16Array(names.length).fill(-1);
    this.#longest = Math.max(...this.#names.map((name) => name.length));
    for (const [number, name] of this.#names.entries()) {
      const slot = this.#slot(name, 0, name.length);
      this.#next[number] = this.#heads[slot] as number;
      this.#heads[slot] = number;
    }
  }

  /** @returns index of the name that equals `[start, end)`, or -1 */
  find(bytes: Uint8Array, start: number, end: number): number {
    const length = end - start;
    if (length === 0 || length > this.#longest) {
      return -1;
    }
    const fold = this.#fold;
    let number = this.#heads[this.#slot(bytes, start, end)] as number;
    for (; number !== -1; number = this.#next[number] as number) {
      const name = this.#names[number] as Uint8Array;
      if (name.length !== length) {
        continue;
      }
      let at = 0;
      while (at < length && name[at] === fold[bytes[start + at] as number]) {
        at++;
      }
      if (at === length) {
        return number;
      }
    }
    return -1;
  }

  /**
   * Hash of the length and three bytes. This hash separates the known names well enough without reading whole names.
   */
  #slot(bytes: Uint8Array, start: number, end: number): number {
    const fold = this.#fold;
    const first = fold[bytes[start] as number] as number;
    const middle = fold[bytes[(start + end) >>> 1] as number] as number;
    const last = fold[bytes[end - 1] as number] as number;
    return ((end - start) * 37 + first * 101 + middle * 13 + last * 5) & (slots - 1);
  }
}
