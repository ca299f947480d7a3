/** Random factors of this process, so that senders cannot choose ids whose hashes collide. */
const [highFactor, lowFactor] = crypto
  .getRandomValues(new Int32Array(2))
  .map((factor) => factor | 1) as Int32Array;

/**
 * Maps span ids, as two 32-bit numbers, to indexes. With many spans this map needs a tenth of the memory of a map with
 * string keys.
 */
export class SpanIds {
  readonly #highs: Int32Array;
  readonly #lows: Int32Array;
  /** Hash table with linear probing; a slot has the index of an id plus one, or 0 when it is free. */
  readonly #slots: Int32Array;
  readonly #mask: number;
  #length = 0;

  /** @param count maximum number of ids */
  constructor(count: number) {
    this.#highs = new Int32Array(count);
    this.#lows = new Int32Array(count);
    // A power of two; at least half of the slots stay free.
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * count + 2)));
    this.#mask = this.#slots.length - 1;
  }

  /** Adds an id. Its index is the number of ids added before. @returns false when the id was already present */
  add(high: number, low: number): boolean {
    const slot = this.#slotOf(high, low);
    if (this.#slots[slot] !== 0) {
      return false;
    }
    this.#highs[this.#length] = high;
    this.#lows[this.#length] = low;
    this.#slots[slot] = ++this.#length;
    return true;
  }

  /** @returns the index of an id; -1 for an unknown id */
  find(high: number, low: number): number {
    return (this.#slots[this.#slotOf(high, low)] as number) - 1;
  }

  /** The slot that holds the id, or the free slot for it. */
  #slotOf(high: number, low: number): number {
    let hash = Math.imul(high, highFactor as number) ^ Math.imul(low, lowFactor as number);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    let slot = (hash ^ (hash >>> 13)) & this.#mask;
    for (;;) {
      const place = (this.#slots[slot] as number) - 1;
      if (place < 0 || (this.#highs[place] === high && this.#lows[place] === low)) {
        return slot;
      }
      slot = (slot + 1) & this.#mask;
    }
  }
}
