import { randomInt } from "node:crypto";

/** Bytes before the bits: the last serial and the epoch. */
const headBytes = 16;
const bitsPerWord = 32;
/** The use of this many last tickets is remembered. Older tickets count as used. */
const rememberedSerials = 2 ** 20;

/** Size of the memory for {@link SingleUseSerials}. */
export const singleUseBytes: number = headBytes + rememberedSerials / 8;

/**
 * Numbers that can each be claimed once by all threads that share the memory: one bit for each of the last 1,048,576.
 * An older number counts as claimed.
 *
 * `issue` raises the counter before it clears the bit, which an older number used. A claim therefore checks the counter
 * again after it has set the bit. A number can be claimed twice only if a thread pauses during a million tickets.
 */
export class SingleUseSerials {
  readonly #last: BigInt64Array;
  readonly #head: Int32Array;
  readonly #bits: Int32Array;

  /** @param memory {@link singleUseBytes} bytes, zero at first */
  constructor(memory: SharedArrayBuffer) {
    this.#last = new BigInt64Array(memory, 0, 1);
    this.#head = new Int32Array(memory, 8, 2);
    this.#bits = new Int32Array(memory, headBytes);
    // The first thread writes the number. 0 means that no thread has written it yet.
    Atomics.compareExchange(this.#head, 0, 0, randomInt(1, 2 ** 31));
    Atomics.compareExchange(this.#head, 1, 0, randomInt(1, 2 ** 21));
  }

  /** Random number of this memory, below 2^52: after a restart the serials begin again. */
  get epoch(): number {
    return Atomics.load(this.#head, 1) * 2 ** 31 + Atomics.load(this.#head, 0);
  }

  /** @returns a number that nobody has */
  issue(): number {
    const serial = Number(Atomics.add(this.#last, 0, 1n)) + 1;
    const { word, bit } = this.#placeOf(serial);
    Atomics.and(this.#bits, word, ~bit);
    return serial;
  }

  /** @returns true for the first claim of a number that was issued and is not too old */
  claim(serial: number): boolean {
    if (!this.#isRemembered(serial)) {
      return false;
    }
    const { word, bit } = this.#placeOf(serial);
    const before = Atomics.or(this.#bits, word, bit);
    return (before & bit) === 0 && this.#isRemembered(serial);
  }

  #isRemembered(serial: number): boolean {
    const last = Number(Atomics.load(this.#last, 0));
    return serial > 0 && serial <= last && serial > last - rememberedSerials;
  }

  #placeOf(serial: number): { word: number; bit: number } {
    const place = serial % rememberedSerials;
    return { word: Math.floor(place / bitsPerWord), bit: 1 << (place % bitsPerWord) };
  }
}
