/**
 * A seeded source of random numbers: one seed gives the same numbers on every machine, and a number costs a few
 * nanoseconds. Not suitable for secrets. Source: Chris Doty-Humphrey, PractRand, "sfc32" (small fast counter, period of
 * about 2^127 on average)
 */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  /** @param seed any 32-bit number */
  constructor(seed: number) {
    this.#a = 0;
    this.#b = seed | 0;
    this.#c = ~seed;
    // Without these rounds, the first numbers of neighbouring seeds are similar.
    for (let round = 0; round < 16; round++) {
      this.uint32();
    }
  }

  /** A number from 0 to 2^32 - 1, all equally likely. */
  uint32(): number {
    const sum = (this.#a + this.#b + this.#counter++) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** A number from 0 to 1, without 1. */
  unit(): number {
    return this.uint32() / 0x1_0000_0000;
  }

  /** A whole number from 0 to `limit` - 1; `limit` is at most 2^32. */
  below(limit: number): number {
    return Math.floor(this.unit() * limit);
  }

  /** True with the given probability. */
  chance(probability: number): boolean {
    return this.unit() < probability;
  }

  /** One of the items, all equally likely. */
  pick<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[this.below(items.length)] ?? items[0];
  }
}
