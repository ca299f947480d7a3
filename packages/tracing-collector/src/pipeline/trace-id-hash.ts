/**
 * 64-bit FNV-1a over a salt and the 16 bytes of a trace id, in two 32-bit halves; `bigint` would be many
 * times slower. Source: Fowler, Noll, Vo, "FNV hash", www.isthe.com/chongo/tech/comp/fnv
 */
export class TraceIdHash {
  /** Upper 32 bits of the last `update`, unsigned. */
  high = 0xcbf2_9ce4;
  /** Lower 32 bits of the last `update`, unsigned. */
  low = 0x8422_2325;
  readonly #saltHigh: number;
  readonly #saltLow: number;

  constructor(salt: string) {
    const bytes = Buffer.from(salt);
    this.#add(bytes, 0, bytes.length);
    this.#saltHigh = this.high;
    this.#saltLow = this.low;
  }

  /** Puts the hash of the salt and of the 16 bytes at `at` into `high` and `low`. */
  update(bytes: Uint8Array, at: number): void {
    this.high = this.#saltHigh;
    this.low = this.#saltLow;
    this.#add(bytes, at, at + 16);
  }

  #add(bytes: Uint8Array, start: number, end: number): void {
    let high = this.high | 0;
    let low = this.low | 0;
    for (let index = start; index < end; index++) {
      low ^= bytes[index] as number;
      // Multiplies by the prime 2^40 + 435 modulo 2^64, 16 bits at a time, so that no product passes 32 bits.
      const first = (low & 0xffff) * 435;
      const second = (low >>> 16) * 435 + (first >>> 16);
      high = (Math.imul(high, 435) + (second >>> 16) + (low << 8)) | 0;
      low = (second << 16) | (first & 0xffff);
    }
    this.high = high >>> 0;
    this.low = low >>> 0;
  }
}
